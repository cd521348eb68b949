#pragma once

#include <torch/nn/module.h>

#include "common/random.h"

namespace gloss {

/// Draws the initial weights of every parameter of `module`, by the kind that its name states (weights.h):
///
/// - embeddings and positions: normal with deviation width^-0.5, the width of a row (D; H for relative positions);
/// - the row of padding of an embedding: 0;
/// - matrices: uniform within sqrt(6 / (in + out)) (Glorot and Bengio 2010), those of a GRU's gates one by one;
/// - matrices of score functions: uniform within sqrt(3 / in);
/// - factors and running variances of norms: 1;
/// - biases and running means: 0;
/// - the scale of cosine scores: kFirstScale.
///
/// Each is a function of the seed of `random` and the parameter's name alone.
void initialize(torch::nn::Module& module, const RandomStream& random);

}  // namespace gloss
