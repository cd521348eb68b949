#include "model/int8_rounding.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/nextafter.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include "tensor/shape.h"

namespace gloss {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Returns `rounded`, with the gradient of `exact`.
class StraightThrough : public torch::autograd::Function<StraightThrough> {
 public:
  static at::Tensor forward(AutogradContext* /*context*/, const at::Tensor& /*exact*/, const at::Tensor& rounded) {
    return rounded.alias();
  }
  static variable_list backward(AutogradContext* /*context*/, const variable_list& gradients) {
    return {gradients[0], at::Tensor()};
  }
};

}  // namespace

at::Tensor int8_scales(const at::Tensor& weight, Int8Scales kind) {
  expect_dimensions(weight, 2, "weight");
  auto scales = weight.abs().amax(1).to(at::kFloat).div_(kMaxInt8);  // [out]
  if (kind == Int8Scales::kMatrix) scales = scales.amax().expand_as(scales);
  const auto overflows = (scales * kMaxInt8).isinf();
  return at::where(overflows, at::nextafter(scales, at::zeros_like(scales)), scales);
}

at::Tensor int8_steps(const at::Tensor& weight, const at::Tensor& scales) {
  const auto divisors = scales.masked_fill(scales == 0, 1).unsqueeze(1);  // [out, 1]
  return weight.div(divisors).round_().clamp_(-kMaxInt8, kMaxInt8);
}

at::Tensor rounded_weight(const at::Tensor& weight, Int8Scales scales) {
  if (scales == Int8Scales::kNone) return weight;
  const auto of_rows = int8_scales(weight.detach(), scales);
  return StraightThrough::apply(weight, int8_steps(weight.detach(), of_rows).mul_(of_rows.unsqueeze(1)));
}

at::Tensor rounded_inputs(const at::Tensor& x, Int8Scales scales) {
  if (scales == Int8Scales::kNone) return x;
  const auto sizes = x.detach().abs().amax(-1, /*keepdim=*/true);  // [..., 1]
  const auto factors = (kMaxInt8 / sizes).masked_fill_(sizes == 0, 0);
  return StraightThrough::apply(x, (x.detach() * factors).round_().mul_(sizes / kMaxInt8));
}

}  // namespace gloss
