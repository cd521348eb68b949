#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "model/storage/model_file.h"
#include "pipeline/config/run_config.h"
#include "tokenizer/language_tags.h"
#include "translation/line_translator.h"

namespace gloss {

using TokenizerPair = std::pair<std::shared_ptr<const Tokenizer>, std::shared_ptr<const Tokenizer>>;

/// A model file that is ready to translate.
struct TranslationModel {
  StoredModel file;
  RunConfig config = {};                                                ///< the file's, without paths
  std::shared_ptr<const Tokenizer> source_tokenizer, target_tokenizer;  ///< the same one if joint; without tags
  Languages languages = {};  ///< of the translations; empty: those of config.data

  /// Returns a scorer that multiplies matrices in `precision`, by default in translating_precision(file.precision).
  /// A `plain` scorer uses the equations of model/ alone (Pass::plain), in float32. Throws as
  /// expect_translating_precision.
  std::shared_ptr<const Scorer> scorer(std::optional<WeightPrecision> precision = std::nullopt,
                                       bool plain = false) const;
  /// Returns a translator with such a scorer, which aligns by this model.
  LineTranslator translator(std::optional<WeightPrecision> precision = std::nullopt, bool plain = false) const;
  /// Returns the tokenizers with the language tags of `languages` that the model needs. Throws UsageError with the key
  /// "source_language" or "target_language" if it has no tag for one.
  TokenizerPair tagged_tokenizers() const;
};

/// Returns the default precision of a model whose matrices are stored in `stored`: the same if this processor is faster
/// in it, otherwise float32.
WeightPrecision translating_precision(WeightPrecision stored);

/// Throws UsageError with the key "precision" if a lower precision than float32 is set for another device than the CPU,
/// or for plain passes.
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

/// Returns the file of a model: the path itself, or model.safetensors in a folder. Throws UsageError with the key
/// "model" if it is missing.
std::filesystem::path model_file_of(const std::filesystem::path& file_or_folder);

/// Returns the maximum number of source tokens, eos included: data.max_length, or the number of learned positions if
/// less.
std::int64_t max_source_length(const RunConfig& config);
/// Returns the maximum number of tokens of a translation, eos included: decoding.max_length, or the number of learned
/// positions if less.
std::int64_t max_target_length(const RunConfig& config);

/// Returns the tokenizers with the language tags that a configuration needs, of the languages `given`, otherwise of
/// config.data. `keys` begins the names of the settings in messages: "data." or "". Throws UsageError.
TokenizerPair with_tags(const TokenizerPair& tokenizers, const RunConfig& config, const Languages& given,
                        std::string_view keys);

/// Returns a translator for a model that is being trained. It has no model to align with.
LineTranslator make_translator(const EncoderDecoder& model, const RunConfig& config,
                               std::shared_ptr<const Tokenizer> source_tokenizer,
                               std::shared_ptr<const Tokenizer> target_tokenizer, bool plain = false);

}  // namespace gloss
