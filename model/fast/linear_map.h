#pragma once

#include <ATen/core/Tensor.h>

#include "kernels/dropout_kernel.h"

namespace gloss {

/// Computes x [..., in] W^T + b with W [out, in] and b [out] (undefined: no bias), float32 on the CPU. The forward and
/// the backward pass use the products of matrix_product.h.
at::Tensor linear_map(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// Computes dropout(max(0, x W^T + b)) in one operation. It saves only its result for the backward pass: the gradient
/// is 0 for each element whose result is 0. Equal to the three operations one after the other.
at::Tensor linear_relu_dropout(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                               const kernels::DropoutMask& mask);

}  // namespace gloss
