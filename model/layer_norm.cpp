#include "model/layer_norm.h"

#include "model/fast/dispatch.h"
#include "tensor/new_weight.h"
#include "tensor/shape.h"

namespace gloss {

LayerNormImpl::LayerNormImpl(std::int64_t width, double epsilon)
    : weight_(register_parameter("weight", new_weight({width}, 1))),
      bias_(register_parameter("bias", new_weight({width}))),
      epsilon_(epsilon) {}

at::Tensor LayerNormImpl::forward(const at::Tensor& x, const Pass& pass) {
  expect_width(x, weight_.size(0), "x");
  if (const auto result = fast::layer_norm(x, weight_, bias_, epsilon_, pass)) return *result;
  // Otherwise, in a plain pass:
  const auto mean = x.mean(-1, /*keepdim=*/true);                        // [..., 1]
  const auto variance = (x - mean).square().mean(-1, /*keepdim=*/true);  // [..., 1]
  return (x - mean) / (variance + epsilon_).sqrt() * weight_ + bias_;    // [..., D]
}

}  // namespace gloss
