#pragma once

#include <ATen/core/Tensor.h>

#include "model/int8_scales.h"

namespace gloss {

/// The largest quantized value.
inline constexpr float kMaxInt8 = 127;

/// Quantizes weights to int8: value ~ scale * integer from -127 to 127.
///
/// `int8_scales` returns the scale of each row of a matrix [out, in], [out] float32: the largest absolute value of the
/// row, or with kMatrix of the matrix, divided by 127. `int8_steps` returns the nearest integers, as floats.
at::Tensor int8_scales(const at::Tensor& weight, Int8Scales scales = Int8Scales::kRows);
at::Tensor int8_steps(const at::Tensor& weight, const at::Tensor& scales);

/// Int8 tuning (training.quantize): the factors of products are rounded in the forward pass as a model in int8 rounds
/// them. The gradient goes through the rounding unchanged (Bengio et al. 2013, the straight-through estimator). With
/// kNone each function returns its argument.
///
/// `rounded_weight` rounds a matrix [out, in], `rounded_inputs` each row of the inputs [..., in] of a product by its
/// own largest value.
at::Tensor rounded_weight(const at::Tensor& weight, Int8Scales scales);
at::Tensor rounded_inputs(const at::Tensor& x, Int8Scales scales);

}  // namespace gloss
