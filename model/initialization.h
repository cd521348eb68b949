#pragma once

#include <torch/nn/module.h>

#include "common/random.h"

namespace gloss {

/// Draws the initial weights of every parameter of `module`, by name: "..._embedding.weight" and "..._positions.weight"
/// normal with deviation D^-0.5, an embedding's row for pad zero; other matrices uniform within
/// sqrt(6 / (in + out)) (Glorot and Bengio 2010); a norm's weight 1; biases 0. Each is a function of `random`'s seed
/// and the parameter's name alone.
void initialize(torch::nn::Module& module, const RandomStream& random);

}  // namespace gloss
