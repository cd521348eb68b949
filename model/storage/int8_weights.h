#pragma once

#include <ATen/core/Tensor.h>

namespace gloss {

/// A weight [out, in] in whole steps, row by row: value = scale * int8, with scales [out] such that a row's largest is
/// 127 steps (0 for a row of zeros).
struct Int8Weight {
  at::Tensor values;  ///< [out, in] int8
  at::Tensor scales;  ///< [out] float32
};

/// The nearest steps; what is finite stays finite. What from_int8 makes of them comes back bit for bit, values and
/// scales; of scales that are not to_int8's own the values do, and a scale to within one rounding.
Int8Weight to_int8(const at::Tensor& weight);
at::Tensor from_int8(const Int8Weight& weight);  ///< [out, in] float32

}  // namespace gloss
