#include "model/storage/int8_weights.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/nextafter.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include "tensor/shape.h"

namespace gloss {
namespace {

constexpr double kSteps = kMaxInt8;

}  // namespace

Int8Weight to_int8(const at::Tensor& weight) {
  expect_dimensions(weight, 2, "weight");
  auto scales = weight.abs().amax(1).to(at::kFloat).div_(kSteps);  // [out]
  const auto overflows = (scales * kSteps).isinf();
  scales = at::where(overflows, at::nextafter(scales, at::zeros_like(scales)), scales);
  const auto divisors = scales.masked_fill(scales == 0, 1).unsqueeze(1);  // [out, 1]
  return {weight.div(divisors).round_().clamp_(-kSteps, kSteps).to(at::kChar), scales};
}

at::Tensor from_int8(const Int8Weight& weight) {
  expect_shape(weight.scales, {weight.values.size(0)}, "scales");
  return weight.values.to(at::kFloat).mul_(weight.scales.unsqueeze(1));
}

}  // namespace gloss
