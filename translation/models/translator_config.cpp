#include "translation/models/translator_config.h"

#include <algorithm>
#include <string>

#include "common/config/config_section.h"
#include "common/config/settings.h"
#include "common/error.h"
#include "common/text/language_tag.h"
#include "translation/alignment.h"

namespace gloss {

std::int64_t TranslatorConfig::max_source_length() const {
  return std::min(max_length, model.position_limit().value_or(max_length));
}

std::int64_t TranslatorConfig::max_target_length() const {
  return std::min(decoding.max_length, model.position_limit().value_or(decoding.max_length));
}

void TranslatorConfig::validate() const {
  tokenizer.validate();
  model.validate();
  decoding.validate();
  if (!tokenizer.joint && !tokenizer.shared_ids && model.tie_embeddings == TieEmbeddings::kAll)
    throw UsageError(
        "model.tie_embeddings: all needs one vocabulary for both languages; set it to decoder or none, or "
        "tokenizer.joint to true");
  require(max_length >= 2, "data.max_length", "a whole number from 2 on", max_length);
  if (const auto limit = model.position_limit())
    require(decoding.max_length <= *limit || decoding.min_length < *limit, "decoding.min_length",
            "less than model.max_positions (" + std::to_string(*limit) + ")", decoding.min_length);
  if (decoding.coverage_penalty > 0 && !model.has_cross_attention())
    throw UsageError(
        "decoding.coverage_penalty: needs attention to the source, which a model without model.recurrent_attention "
        "lacks; set it to 0");
  if (!decoding.alignment_from.empty()) default_attention_site(model, decoding.alignment_from);  // throws
}

TranslatorConfig read_translator_config(const Json& json) {
  TranslatorConfig config;
  ConfigSection file(json, "");
  config.tokenizer = read_tokenizer_config(file.section("tokenizer"));
  config.model = read_model_config(file.section("model"));
  config.decoding = read_decoding_config(file.section("decoding"));
  auto data = file.section("data");
  data.read("max_length", config.max_length);
  for (const auto& [key, language] : {std::pair("source_language", &config.languages.source),
                                      std::pair("target_language", &config.languages.target)}) {
    data.read(key, *language);
    *language = with_hyphens(*language);
  }
  config.validate();
  return config;
}

Json to_json(const TranslatorConfig& config) {
  return {{"tokenizer", tokenizer_settings().to_portable_json(config.tokenizer)},
          {"model", to_json(config.model)},
          {"decoding", to_json(config.decoding)},
          {"data",
           {{"max_length", config.max_length},
            {"source_language", config.languages.source},
            {"target_language", config.languages.target}}}};
}

TokenizerPair with_tags(const TokenizerPair& tokenizers, const TranslatorConfig& config, const Languages& given,
                        std::string_view keys) {
  const auto languages = choose_languages(given, config.languages, config.tokenizer);
  return {tagged_source(tokenizers.first, config.tokenizer, languages, keys),
          tagged_target(tokenizers.second, config.tokenizer, languages, keys)};
}

}  // namespace gloss
