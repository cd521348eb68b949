#pragma once

#include <cstdint>

#include "kernels/packed_product_kernel.h"

namespace gloss::kernels {

/// Floats per row for partial sums, for every instruction set.
inline constexpr std::int64_t kSumLanes = 16;

/// Finds the `width` most likely tokens of each row while computing the panels `first` to `last` - 1 of the logits x W
/// + b. The logits are stored only if `all` has data.
struct TopTokens {
  Rows in;  ///< [rows, D]
  std::int64_t rows = 0;
  PackedMatrix matrix;               ///< weight of the generator, [D, V]
  std::int64_t first = 0, last = 0;  ///< panels of the matrix
  std::int64_t width = 0;            ///< tokens to find, at least 1
  float* logits = nullptr;           ///< [rows, width], best first, ties by the lower id; updated, initially -inf
  std::int32_t* ids = nullptr;       ///< [rows, width]
  float* max = nullptr;              ///< [rows]: greatest logit of these panels
  float* sums = nullptr;             ///< [rows, 16]: partial sums of e^(logit - max) over these panels
  void* scratch = nullptr;           ///< as in PackedProduct
  MutableRows all = {};  ///< [rows, V]: all logits, with the bits of packed_product; not stored if data is null
};

using TopTokensKernel = void(const TopTokens& top);

}  // namespace gloss::kernels
