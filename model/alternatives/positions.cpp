#include "model/alternatives/positions.h"

#include <string>

#include <ATen/ops/zeros.h>

#include "common/error.h"
#include "tensor/new_weight.h"

namespace gloss {

LearnedPositions::LearnedPositions(std::int64_t d_model, std::int64_t max_positions)
    : PositionalEncodingImpl(d_model), weight_(register_parameter("weight", new_weight({max_positions, d_model}))) {}

at::Tensor LearnedPositions::forward(std::int64_t first, std::int64_t count, at::Device /*device*/) {
  const auto end = first + count, max_positions = weight_.size(0);
  if (end > max_positions) {
    throw UsageError("positions: wanted at most " + std::to_string(max_positions) +
                     ", which is all that the model has learned, got " + std::to_string(end) +
                     "; use shorter lines or train with a larger model.max_positions");
  }
  return weight_.narrow(0, first, count);  // [count, D]
}

at::Tensor NoPositions::forward(std::int64_t /*first*/, std::int64_t count, at::Device device) {
  return at::zeros({count, d_model()}, at::device(device));
}

}  // namespace gloss
