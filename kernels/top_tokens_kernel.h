#pragma once

#include <cstdint>

#include "kernels/packed_product_kernel.h"

namespace gloss::kernels {

/// Floats that a row's sum is kept in, for every instruction set.
inline constexpr std::int64_t kSumLanes = 16;

/// The likeliest tokens of each row, found while some panels of the logits x W + b are computed; these are stored
/// only where `all` wants them.
struct TopTokens {
  Rows in;  ///< [rows, D]
  std::int64_t rows = 0;
  PackedMatrix matrix;               ///< the generator's, [D, V]
  std::int64_t first = 0, last = 0;  ///< its panels
  std::int64_t width = 0;            ///< tokens wanted, at least 1
  float* logits = nullptr;      ///< [rows, width], best first, ties by the lower id; brought up to date, -inf at first
  std::int32_t* ids = nullptr;  ///< [rows, width]
  float* most = nullptr;        ///< [rows]: the greatest logit of these panels
  float* sums = nullptr;        ///< [rows, 16]: parts of the sum of e^(logit - most) over these panels
  void* scratch = nullptr;      ///< packed_scratch bytes, at a multiple of 64
  MutableRows all = {};         ///< [rows, V]: every logit, as packed_product has it; none without data
};

using TopTokensKernel = void(const TopTokens& top);

}  // namespace gloss::kernels
