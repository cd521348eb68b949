#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "model/storage/model_file.h"
#include "pipeline/run/run_config.h"
#include "translation/line_translator.h"

namespace gloss {

/// A model file, ready to translate.
struct TranslationModel {
  EncoderDecoder model{nullptr};
  RunConfig config;                                       ///< the file's, without paths
  ModelDescription description;                           ///< the file's, as it stands in it
  WeightPrecision precision = WeightPrecision::kFloat32;  ///< of the file's matrices
  Vocabularies vocabularies;
  std::shared_ptr<const Tokenizer> source_tokenizer, target_tokenizer;  ///< one and the same where joint

  /// Multiplies in what is wanted, else in translating_precision(precision). Throws as expect_possible.
  LineTranslator translator(std::optional<WeightPrecision> wanted = std::nullopt) const;
};

/// What a file's matrices are multiplied in unless something else is wanted: as they are stored where this processor is
/// faster that way, else float32.
WeightPrecision translating_precision(WeightPrecision stored);

/// Throws UsageError where a lower precision is wanted on another device than the CPU, which computes in float32.
void expect_possible(std::optional<WeightPrecision> wanted, at::Device device);

/// A model file, or the model.safetensors of a run folder. Throws UsageError where there is none, ModelError where it
/// is damaged or where tokenizer and weights have vocabularies of different sizes.
TranslationModel load_translation_model(const std::filesystem::path& file_or_folder, at::Device device);
/// The same of a file that is open.
TranslationModel load_translation_model(const SafetensorsFile& file, at::Device device);

using TokenizerPair = std::pair<std::shared_ptr<const Tokenizer>, std::shared_ptr<const Tokenizer>>;
/// Source and target tokenizer that a model file holds, one for both where joint; `file` stands for it in messages.
/// Throws ModelError where they do not fit the configuration or the vocabularies of its weights.
TokenizerPair make_tokenizers(const ModelDescription& description, const Vocabularies& vocabularies,
                              const std::string& file);

/// The file that `--model` means: the path itself, or model.safetensors in a folder. Throws UsageError where it is
/// missing.
std::filesystem::path model_file_of(const std::filesystem::path& file_or_folder, std::string_view option = "--model");

/// The most tokens of a source, eos included, that such a model reads: what it was trained with, and has positions for.
std::int64_t max_source_length(const RunConfig& config);

/// The translator that a model and its tokenizers make.
LineTranslator make_translator(const EncoderDecoder& model, const RunConfig& config,
                               std::shared_ptr<const Tokenizer> source_tokenizer,
                               std::shared_ptr<const Tokenizer> target_tokenizer,
                               WeightPrecision precision = WeightPrecision::kFloat32);

}  // namespace gloss
