#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <c10/core/Device.h>

#include "documents/unit_translator.h"
#include "model/storage/weight_precision.h"
#include "translation/line_translator.h"
#include "translation/models/translation_model.h"
#include "translation/models/translator_config.h"
#include "translation/translation_runner.h"

namespace gloss {

/// A model file to serve.
struct ModelSource {
  std::string source, target;  ///< BCP 47; empty: those that the file records, or every pair that it has tags for
  std::filesystem::path path;  ///< a model file, or the folder of a finished run
};

/// Reads "en-de=runs/en-de" or "runs/en-de". A language with hyphens ends before the last letter pair that can begin
/// another one: "zh-Hans-en=...", "pt-BR-de=...". Throws UsageError for an empty path.
ModelSource parse_model_source(const std::string& text);

/// A direction of a model.
struct ServedModel {
  std::string source, target;  ///< BCP 47
  std::string name;            ///< of the file
  std::string sha256;          ///< of the file
  LineTranslator translator;   ///< with the tags of the languages
  TranslatorConfig config;
  UnitTranslatorOptions units;  ///< how its texts are cut into sentences
  TranslationModel file;        ///< whose weights are read again for an explanation
};

/// Models that translate one after the other: two through a pivot language, none for a text that stays as it is.
using ModelRoute = std::vector<const ServedModel*>;

struct ServingOptions {
  std::optional<WeightPrecision> precision = std::nullopt;
  bool plain = false;
  at::Device device = at::kCPU;
  std::int64_t threads = 1;  ///< that compute, of all models together
  TranslationRunner::Observer on_batch = {};
};

/// A language that is served, and those that it can be translated into.
struct ServedLanguage {
  std::string code, name;
  std::vector<std::string> targets;  ///< codes, ascending
};

/// The models of a server. Immutable: another object replaces it when the files are read again.
class ServedModels {
 public:
  /// Loads the models. Throws UsageError for a model without known languages and for two of one direction, and as
  /// load_translation_model.
  ServedModels(const std::vector<ModelSource>& sources, const ServingOptions& options);

  /// Returns the way from one language into another, or nullopt. Of the variants of a language the equal one is
  /// preferred, then one that it begins, or that begins it ("pt" for "pt-BR"). A text stays as it is if it is in the
  /// target language, such as en for en-US, and no single model translates between the two.
  std::optional<ModelRoute> route(std::string_view source, std::string_view target) const;
  /// Returns whether a model reads or writes a language, or a variant of it.
  bool has_language(std::string_view code) const;
  /// Returns the languages in the order of their codes.
  const std::vector<ServedLanguage>& languages() const { return languages_; }
  const std::vector<ServedModel>& models() const { return models_; }
  /// Returns how many sentences are in no batch yet.
  std::size_t waiting_sentences() const { return runner_->waiting_lines(); }

 private:
  const ServedModel* direct(std::string_view source, std::string_view target) const;

  std::shared_ptr<TranslationRunner> runner_;  ///< of all models
  std::vector<ServedModel> models_;
  std::vector<ServedLanguage> languages_;
};

}  // namespace gloss
