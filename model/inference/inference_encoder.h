#pragma once

#include <ATen/core/Tensor.h>

#include "model/inference/inference_layers.h"
#include "model/padding.h"

namespace gloss {

/// Computes the encoder's output in the form that the decoder reads: keys and values of every position and decoder
/// layer, [tokens, layers, 2D], with the sentences concatenated without padding. `positions` [>= S, D] are the
/// positional encodings.
at::Tensor inference_memory(const InferenceWeights& weights, const ModelConfig& config, const PaddedIds& source,
                            const at::Tensor& positions);

}  // namespace gloss
