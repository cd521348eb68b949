// Compiled once for each instruction set (kernel_table.h).
#include "kernels/bodies/kernel_bodies.h"

namespace gloss::kernels::GLOSS_INSTRUCTION_SET {
namespace {

// Returns the rounded value in the upper 16 bits. A NaN keeps a mantissa bit, so that rounding cannot turn it into
// infinity.
inline std::uint32_t rounded(float x) {
  std::uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  const std::uint32_t nearest = bits + 0x7FFF + (bits >> 16 & 1);
  return (bits & 0x7FFFFFFF) > 0x7F800000 ? bits | 0x00400000 : nearest;
}

}  // namespace

void to_bfloat16(const float* in, std::int64_t in_stride, std::int64_t rows, std::int64_t columns, Bfloat16Bits* out,
                 std::int64_t out_stride) {
  for (std::int64_t i = 0; i < rows; ++i) {
    const float* const from = in + i * in_stride;
    Bfloat16Bits* const to = out + i * out_stride;
    for (std::int64_t j = 0; j < columns; ++j) to[j] = static_cast<Bfloat16Bits>(rounded(from[j]) >> 16);
    if (columns % 2 != 0) to[columns] = 0;
  }
}

void to_bfloat16_pairs(const float* in, std::int64_t in_stride, std::int64_t rows, std::int64_t columns,
                       Bfloat16Bits* out) {
  for (std::int64_t i = 0; i < rows; i += 2) {
    const float* const even = in + i * in_stride;
    const float* const odd = even + in_stride;
    Bfloat16Bits* const to = out + i * columns;
    if (i + 1 < rows) {
      for (std::int64_t j = 0; j < columns; ++j) {
        const std::uint32_t pair = (rounded(odd[j]) & 0xFFFF0000) | rounded(even[j]) >> 16;  // low half first in memory
        __builtin_memcpy(to + 2 * j, &pair, sizeof pair);
      }
    } else {
      for (std::int64_t j = 0; j < columns; ++j) {
        to[2 * j] = static_cast<Bfloat16Bits>(rounded(even[j]) >> 16);
        to[2 * j + 1] = 0;
      }
    }
  }
}

}  // namespace gloss::kernels::GLOSS_INSTRUCTION_SET
