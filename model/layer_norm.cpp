#include "model/layer_norm.h"

#include <ATen/ops/layer_norm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include "tensor/shape.h"

namespace gloss {
namespace {

constexpr double kEpsilon = 1e-5;

}  // namespace

LayerNormImpl::LayerNormImpl(std::int64_t width)
    : weight_(register_parameter("weight", at::ones({width}))), bias_(register_parameter("bias", at::zeros({width}))) {}

at::Tensor LayerNormImpl::forward(const at::Tensor& x) {
  expect_width(x, weight_.size(0), "x");
  return at::layer_norm(x, weight_.sizes(), weight_, bias_, kEpsilon);
}

}  // namespace gloss
