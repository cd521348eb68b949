#include "model/alternatives/rms_norm.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>

#include "model/layer_norm.h"
#include "tensor/shape.h"

namespace gloss {

RmsNorm::RmsNorm(std::int64_t width) : weight_(register_parameter("weight", at::ones({width}))) {}

at::Tensor RmsNorm::forward(const at::Tensor& x, const Pass& /*pass*/) {
  expect_width(x, weight_.size(0), "x");
  const auto mean_square = x.square().mean(-1, /*keepdim=*/true);       // [..., 1]
  return x / (mean_square + LayerNormImpl::kEpsilon).sqrt() * weight_;  // [..., D]
}

}  // namespace gloss
