#pragma once

#include <ATen/core/Tensor.h>

#include "kernels/dropout_kernel.h"

namespace gloss {

/// Computes `plain_dropout` (model/dropout.h) by a kernel, float32 on the CPU: the same elements, bit for bit. No mask
/// is stored; the backward pass computes it again.
at::Tensor kernel_dropout(const at::Tensor& x, const kernels::DropoutMask& mask);

/// Computes residual + kernel_dropout(x) in one pass over memory; both have the same shape.
at::Tensor kernel_dropout_and_add(const at::Tensor& residual, const at::Tensor& x, const kernels::DropoutMask& mask);

}  // namespace gloss
