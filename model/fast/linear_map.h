#pragma once

#include <ATen/core/Tensor.h>

#include "kernels/dropout_kernel.h"

namespace gloss {

/// x [..., in] W^T + b with W [out, in] and b [out] (undefined: without), float32 on the CPU, by the products of
/// matrix_product.h, forward and backward.
at::Tensor linear_map(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// dropout(max(0, x W^T + b)) in one operation. It saves only its result for the gradient, which is 0 for each element
/// that is 0 there. Equal to the three operations one after the other.
at::Tensor linear_relu_dropout(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                               const kernels::DropoutMask& mask);

}  // namespace gloss
