#pragma once

#include <ATen/core/Tensor.h>

#include "model/inference/inference_layers.h"
#include "model/padding.h"

namespace gloss {

/// The encoder's output as the decoder looks at it: keys and values of every position and decoder layer,
/// [tokens, layers, 2D], the sentences one behind the other without padding. `positions` [>= S, D].
at::Tensor inference_memory(const InferenceWeights& weights, const ModelConfig& config, const PaddedIds& source,
                            const at::Tensor& positions);

}  // namespace gloss
