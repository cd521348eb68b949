#pragma once

#include <ATen/core/Tensor.h>

namespace gloss {

/// The largest quantized value.
inline constexpr float kMaxInt8 = 127;

/// A weight [out, in] quantized by row: value = scale * int8, with scales [out] such that the largest absolute value of
/// a row is 127 (scale 0 for a row of zeros).
struct Int8Weight {
  at::Tensor values;  ///< [out, in] int8
  at::Tensor scales;  ///< [out] float32
};

/// Quantizes to the nearest values; finite values stay finite. The result of from_int8 is quantized back to the same
/// bits, values and scales. For scales not made by to_int8, the values are the same, and a scale is within one
/// rounding, if the largest absolute value of each row is 127. Otherwise the row gets finer steps and other values.
Int8Weight to_int8(const at::Tensor& weight);
at::Tensor from_int8(const Int8Weight& weight);  ///< [out, in] float32

}  // namespace gloss
