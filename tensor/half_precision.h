#pragma once

#include <ATen/core/Tensor.h>

namespace gloss {

/// Returns a tensor of float16 or bfloat16 in float32, another as it is. Norms and softmax compute in such a type.
inline at::Tensor at_least_float(const at::Tensor& x) {
  return x.scalar_type() == at::kHalf || x.scalar_type() == at::kBFloat16 ? x.to(at::kFloat) : x;
}

}  // namespace gloss
