#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/config/json.h"
#include "explain/recorded_pass.h"
#include "model/encoder_decoder.h"
#include "model/model_config.h"
#include "tokenizer/tokenizer.h"

namespace gloss {

// Parts of the document of docs/explanation_format.md.

/// Returns each layer's input, sublayers and output with their norms, and the cosine between the outputs of positions.
Json layer_stack(const RecordedPass& pass, const ModelConfig& config);

/// Returns tokens, positions and their sum, of both sides.
Json embeddings_of(const RecordedPass& pass);

/// Returns the logit lens (nostalgebraist 2020). It applies the final norm and the generator to the decoder's state
/// after each layer, as if it were the last layer. Null for a recurrent network, whose layers have states of their own.
Json logit_lens(const RecordedPass& pass, EncoderDecoder model, const ModelConfig& config, std::span<const Id> target,
                const Tokenizer& tokenizer);

/// Returns the logit of each target token as the sum of contributions: the terms of the input and every sublayer of the
/// decoder. Norms are applied to each contribution with the variance of the whole, which makes them linear. Null for a
/// network without residual connections, in which no vector is a sum of the parts.
Json logit_contributions(const RecordedPass& pass, EncoderDecoder model, const ModelConfig& config,
                         std::span<const Id> target);

}  // namespace gloss
