#include "model/alternatives/norms.h"

#include <ATen/TensorOperators.h>

#include "tensor/new_weight.h"
#include "tensor/shape.h"

namespace gloss {

RmsNorm::RmsNorm(std::int64_t width, double epsilon)
    : weight_(register_parameter("weight", new_weight({width}, 1))), epsilon_(epsilon) {}

at::Tensor RmsNorm::forward(const at::Tensor& x, const Pass& /*pass*/) {
  expect_width(x, weight_.size(0), "x");
  const auto mean_square = x.square().mean(-1, /*keepdim=*/true);  // [..., 1]
  return x / (mean_square + epsilon_).sqrt() * weight_;            // [..., D]
}

}  // namespace gloss
