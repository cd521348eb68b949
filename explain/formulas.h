#pragma once

#include <string>

#include "model/model_config.h"
#include "model/part.h"

namespace gloss {

/// An equation of the network as text, and the source files that compute it.
struct Formula {
  std::string text, file;
};

/// Returns the equation of a sublayer: attention with the scores of `config`, or feed-forward with its gate.
Formula sublayer_formula(const Part& sublayer, const ModelConfig& config);
/// Returns the equation of a layer: its residual connections and norms, or a recurrence.
Formula layer_formula(const Part& layer, const ModelConfig& config);
/// Returns the equation after the last layer of a stack.
Formula stack_formula(Part::Side side, const ModelConfig& config);

}  // namespace gloss
