#pragma once

#include "common/random.h"
#include "model/encoder_decoder.h"
#include "model/model_config.h"

namespace gloss {

/// The usual EncoderDecoder; weights are zero (norms 1) until they are drawn or read. `config` and `vocabularies` are
/// checked: throws UsageError.
EncoderDecoder build_model(const ModelConfig& config, const Vocabularies& vocabularies);

/// The usual EncoderDecoder with initial weights (Xavier uniform for every matrix, each of query, key and value on
/// its own; embeddings normal with deviation d_model^-0.5 and a zero row for pad; biases 0; norms 1 and 0). A weight is
/// a function of `random`'s seed and of the weight's name.
EncoderDecoder make_model(const ModelConfig& config, const Vocabularies& vocabularies, const RandomStream& random);

}  // namespace gloss
