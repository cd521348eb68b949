#pragma once

#include <cmath>
#include <cstdint>

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

namespace gloss {

/// Values in (-1, 1) from a formula, the same on every machine: element e is sin(12.9898 e + 78.233 (number + 1)).
/// `number` tells the tensors of one test apart.
inline at::Tensor formula_tensor(at::IntArrayRef shape, at::Device device = at::kCPU, int number = 0) {
  auto result = at::empty(shape, at::kFloat);
  auto* out = result.mutable_data_ptr<float>();
  for (std::int64_t e = 0; e < result.numel(); ++e) {
    out[e] = static_cast<float>(std::sin(12.9898 * static_cast<double>(e) + 78.233 * (number + 1)));
  }
  return result.to(device);
}

}  // namespace gloss
