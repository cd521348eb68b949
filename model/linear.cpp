#include "model/linear.h"

#include "model/fast/dispatch.h"
#include "model/int8_rounding.h"
#include "tensor/new_weight.h"
#include "tensor/shape.h"

namespace gloss {

LinearImpl::LinearImpl(std::int64_t in, std::int64_t out, bool has_bias)
    : weight_(register_parameter("weight", new_weight({out, in}))) {
  if (has_bias) bias_ = register_parameter("bias", new_weight({out}));
}

at::Tensor LinearImpl::forward(const at::Tensor& x, const Pass& pass) {
  expect_width(x, weight_.size(1), "x");
  if (pass.probe != nullptr) pass.probe->product(weight_, x);
  const auto input = rounded_inputs(x, pass.int8), weight = rounded_weight(weight_, pass.int8);  // usually themselves
  if (const auto result = fast::linear(input, weight, bias_, pass)) return *result;
  // Otherwise, in a plain pass:
  const auto product = input.matmul(weight.t());
  return bias_.defined() ? product + bias_ : product;
}

}  // namespace gloss
