#include "model/linear.h"

#include <ATen/ops/zeros.h>

#include "model/fast/linear_map.h"
#include "tensor/shape.h"

namespace gloss {

LinearImpl::LinearImpl(std::int64_t in, std::int64_t out)
    : weight_(register_parameter("weight", at::zeros({out, in}))),
      bias_(register_parameter("bias", at::zeros({out}))) {}

at::Tensor LinearImpl::forward(const at::Tensor& x) {
  expect_width(x, weight_.size(1), "x");
  return linear_map(x, weight_, bias_);
}

}  // namespace gloss
