#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "model/storage/model_file.h"
#include "translation/line_translator.h"
#include "translation/models/translator_config.h"

namespace gloss {

/// A model file that is ready to translate.
struct TranslationModel {
  StoredModel file;
  TranslatorConfig config = {};
  std::shared_ptr<const Tokenizer> source_tokenizer, target_tokenizer;  ///< the same one if joint; without tags
  Languages languages = {};  ///< of the translations; empty: those of the model

  /// Returns a scorer that multiplies matrices in `precision`, by default in translating_precision.
  /// A `plain` scorer uses the equations of model/ alone (Pass::plain), in float32. Throws as
  /// expect_translating_precision.
  std::shared_ptr<const Scorer> scorer(std::optional<WeightPrecision> precision = std::nullopt,
                                       bool plain = false) const;
  /// Returns what alignments are read from: a scorer of this model, and the attention that the model names.
  Aligner aligner(std::shared_ptr<const Scorer> scorer) const;
  /// Returns a translator with such a scorer, which aligns by this model.
  LineTranslator translator(std::optional<WeightPrecision> precision = std::nullopt, bool plain = false) const;
  /// Returns the tokenizers with the language tags of `languages` that the model needs. Throws UsageError with the key
  /// "source_language" or "target_language" if it has no tag for one.
  TokenizerPair tagged_tokenizers() const;
};

/// Returns the default precision of a model whose matrices are stored in `stored`: the same if this processor is faster
/// in it, or if it is bfloat16 and a GPU has that; otherwise float32.
WeightPrecision translating_precision(WeightPrecision stored, at::Device device);

/// Throws UsageError with the key "precision" if a lower precision than float32 is set that the device does not have:
/// float16 on the CPU, int8 on a GPU, bfloat16 on an older one; or for plain passes.
void expect_translating_precision(std::optional<WeightPrecision> precision, at::Device device, bool plain);

/// Opens a model file, or the model.safetensors of a run folder, in place. Its weights are read when they are needed,
/// even if another file has replaced it since. Throws UsageError if it is missing, and ModelError if it is damaged or
/// its tokenizers and weights have vocabularies of different sizes.
TranslationModel load_translation_model(const std::filesystem::path& file_or_folder, at::Device device);
/// Loads an open file in the same way, with the whole network: the file is not needed any longer.
TranslationModel load_translation_model(const SafetensorsFile& file, at::Device device);

/// Returns the source and the target tokenizer of a model file, twice the same one if joint. `file` is its name for
/// messages. Throws ModelError if they do not fit the configuration or the vocabularies of the weights.
TokenizerPair make_tokenizers(const ModelDescription& description, const Vocabularies& vocabularies,
                              const std::string& file);

/// Throws ModelError unless `other` cuts, numbers and tags text as `first` does, so that the ids of both mean the same.
/// The names are those of the model files, for messages.
void expect_same_tokenizers(const ModelDescription& first, const std::string& first_name, const ModelDescription& other,
                            const std::string& name);

/// Returns the path of a model that the user names: the path itself, or model.safetensors in a folder.
std::filesystem::path model_path(const std::filesystem::path& file_or_folder);
/// Returns model_path. Throws UsageError with the key "model" if the file is missing.
std::filesystem::path model_file_of(const std::filesystem::path& file_or_folder);

/// Returns a translator for a model that is being trained, in `precision` unless `plain`. It has no model to align
/// with.
LineTranslator make_translator(const EncoderDecoder& model, const TranslatorConfig& config,
                               std::shared_ptr<const Tokenizer> source_tokenizer,
                               std::shared_ptr<const Tokenizer> target_tokenizer, bool plain = false,
                               WeightPrecision precision = WeightPrecision::kFloat32);

}  // namespace gloss
