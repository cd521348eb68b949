#pragma once

#include "common/config/json.h"
#include "model/encoder_decoder.h"
#include "model/model_config.h"

namespace gloss {

/// Returns the positional encodings of both sides (docs/explanation_format.md); null for a network that adds no
/// positions. They are the table of the first 64 positions, the products of its rows, and their norms. The distance
/// between PE(t + k) and the image of PE(t) under one linear map shows how well it shifts by k. The attention weights
/// of the first layer are those of a pass in which all tokens are removed from the input.
Json position_views(EncoderDecoder model, const ModelConfig& config);

}  // namespace gloss
