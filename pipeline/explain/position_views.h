#pragma once

#include "common/config/json.h"
#include "model/encoder_decoder.h"
#include "model/model_config.h"

namespace gloss {

/// The positional encodings of both sides (docs/explanation_format.md): the table of the first 64 positions, the
/// products of its rows, their norms, how well one linear map for each distance k leads from PE(t) to PE(t + k), and
/// what the heads of the first layer attend to if all tokens are removed from the input. Null for a network that adds
/// no positions.
Json position_views(EncoderDecoder model, const ModelConfig& config);

}  // namespace gloss
