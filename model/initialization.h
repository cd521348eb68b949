#pragma once

#include <torch/nn/module.h>

#include "common/random.h"

namespace gloss {

/// Draws the initial weights of every parameter of `module`, by the kind that its name states (weights.h):
/// - embeddings and positions: normal with deviation D^-0.5; an embedding's row of padding is 0,
/// - matrices: uniform within sqrt(6 / (in + out)) (Glorot and Bengio 2010),
/// - the factor and running variance of a norm: 1, biases and its running mean: 0,
/// - the scale of cosine scores: CosineScore::kFirstScale.
/// Each is a function of the seed of `random` and the parameter's name alone.
void initialize(torch::nn::Module& module, const RandomStream& random);

}  // namespace gloss
