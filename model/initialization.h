#pragma once

#include <torch/nn/module.h>

#include "common/random.h"

namespace gloss {

/// Draws the initial weights of every parameter of `module`, by the kind that its name states (weights.h):
/// - embeddings and positions: normal with the deviation width^-0.5, the width of a row (D, of relative positions H);
/// an
///   embedding's row of padding is 0,
/// - matrices: uniform within sqrt(6 / (in + out)) (Glorot and Bengio 2010), those of a GRU's gates one by one; of
/// score
///   functions within sqrt(3 / in),
/// - the factor and running variance of a norm: 1, biases and its running mean: 0,
/// - the scale of cosine scores: CosineScore::kFirstScale.
/// Each is a function of the seed of `random` and the parameter's name alone.
void initialize(torch::nn::Module& module, const RandomStream& random);

}  // namespace gloss
