#pragma once

#include <string>

#include "common/config/json.h"
#include "decoding/decoding_config.h"
#include "model/encoder_decoder.h"
#include "model/model_config.h"
#include "tokenizer/tokenizer.h"
#include "translation/line_translator.h"

namespace gloss {

/// Returns a small item of docs/explanation_format.md for a model that is being trained. It has `text`, `source`,
/// `target` (of a greedy search, at most 2 S + 50 tokens), `maps` without norms, `steps` with the ten most likely
/// tokens, and `names`. Weights and log-probabilities of steps have three digits after the point. The translator
/// searches with `network`.
Json lens_item(EncoderDecoder network, const ModelConfig& config, const LineTranslator& translator,
               const Tokenizer& source_tokenizer, const Tokenizer& target_tokenizer, const std::string& text,
               const DecodingConfig& decoding);

}  // namespace gloss
