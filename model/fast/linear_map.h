#pragma once

#include <string_view>

#include <ATen/core/Tensor.h>

#include "model/pass.h"

namespace gloss {

/// x [..., in] W^T + b with W [out, in] and b [out], as at::linear; while gradients are recorded by the products of
/// matrix_product.h, forward and backward.
at::Tensor linear_map(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// dropout(max(0, x W^T + b)) in one operation, which keeps only its result for the gradient: where that is 0, so is
/// the gradient. Equal to the three one after the other.
at::Tensor linear_relu_dropout(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, double p,
                               const Pass& pass, std::string_view site);

}  // namespace gloss
