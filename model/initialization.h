#pragma once

#include <torch/nn/module.h>

#include "common/random.h"

namespace gloss {

/// Draws the initial weights of every parameter of `module`, by name:
/// - "..._embedding.weight" and "..._positions.weight": normal with deviation D^-0.5; an embedding's row of padding is
/// 0,
/// - other matrices: uniform within sqrt(6 / (in + out)) (Glorot and Bengio 2010),
/// - "...norm.weight": 1, other vectors, which are biases: 0.
/// A part under another name gets the weights of that name's rule. Each is a function of the seed of `random` and the
/// parameter's name alone.
void initialize(torch::nn::Module& module, const RandomStream& random);

}  // namespace gloss
