#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "common/config/json.h"
#include "decoding/decoding_config.h"
#include "model/model_config.h"
#include "tokenizer/language_tags.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/tokenizer_config.h"

namespace gloss {

using TokenizerPair = std::pair<std::shared_ptr<const Tokenizer>, std::shared_ptr<const Tokenizer>>;

/// The settings of a model that decide its translations. Each is a key of a run file (configs/README.md), whose other
/// keys concern training alone.
struct TranslatorConfig {
  TokenizerConfig tokenizer;
  ModelConfig model;
  DecodingConfig decoding;
  Languages languages;            ///< data.source_language and data.target_language; empty: unknown
  std::int64_t max_length = 256;  ///< data.max_length: tokens of a source, eos included

  /// Returns the maximum number of source tokens, eos included: max_length, or the number of learned positions if less.
  std::int64_t max_source_length() const;
  /// Returns the maximum number of tokens of a translation, eos included: decoding.max_length, or the number of learned
  /// positions if less.
  std::int64_t max_target_length() const;
  /// Checks each section and the rules between them. Throws UsageError naming the key.
  void validate() const;
};

/// Reads the settings from the configuration of a model file and validates them. Keys that concern training are not
/// looked at. Throws UsageError naming the key.
TranslatorConfig read_translator_config(const Json& json);
/// Returns the run file that has these keys alone, without the user's paths: the configuration of a model file.
Json to_json(const TranslatorConfig& config);

/// Returns the tokenizers with the language tags that the model needs, of the languages `given`, otherwise of
/// config.languages. `keys` begins the names of the settings in messages: "data." or "". Throws UsageError.
TokenizerPair with_tags(const TokenizerPair& tokenizers, const TranslatorConfig& config, const Languages& given,
                        std::string_view keys);

}  // namespace gloss
