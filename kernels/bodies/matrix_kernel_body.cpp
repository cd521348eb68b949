// Compiled once for each instruction set (kernel_table.h).
#include "kernels/bodies/kernel_bodies.h"
#include "kernels/bodies/vectors.h"

namespace gloss::kernels::GLOSS_INSTRUCTION_SET {
void transpose(const float* in, std::int64_t in_stride, std::int64_t rows, std::int64_t columns, float* out,
               std::int64_t out_stride) {
  const std::int64_t whole_rows = rows / kFloats * kFloats, whole_columns = columns / kFloats * kFloats;
  for (std::int64_t i = 0; i < whole_rows; i += kFloats) {
    for (std::int64_t j = 0; j < whole_columns; j += kFloats) {
      transpose_square(in + i * in_stride + j, in_stride, out + j * out_stride + i, out_stride);
    }
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = i < whole_rows ? whole_columns : 0; j < columns; ++j) {
      out[j * out_stride + i] = in[i * in_stride + j];
    }
  }
}

void column_sums(const float* in, std::int64_t stride, std::int64_t rows, std::int64_t columns, float* out) {
  constexpr std::int64_t kSums = 4;
  std::int64_t j = 0;
  for (; j + kSums * kFloats <= columns; j += kSums * kFloats) {
    Floats sums[kSums] = {};
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t v = 0; v < kSums; ++v) sums[v] += load(in + i * stride + j + v * kFloats);
    }
    for (std::int64_t v = 0; v < kSums; ++v) store(out + j + v * kFloats, sums[v]);
  }
  for (; j < columns; ++j) {
    float sum = 0;
    for (std::int64_t i = 0; i < rows; ++i) sum += in[i * stride + j];
    out[j] = sum;
  }
}

void to_bfloat16(const float* in, std::int64_t in_stride, std::int64_t rows, std::int64_t columns, Bfloat16Bits* out,
                 std::int64_t out_stride) {
  for (std::int64_t i = 0; i < rows; ++i) {
    const float* const from = in + i * in_stride;
    Bfloat16Bits* const to = out + i * out_stride;
    for (std::int64_t j = 0; j < columns; ++j) to[j] = static_cast<Bfloat16Bits>(bfloat16_bits(from[j]));
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
        const std::uint32_t pair = bfloat16_bits(odd[j]) << 16 | bfloat16_bits(even[j]);  // low half first in memory
        __builtin_memcpy(to + 2 * j, &pair, sizeof pair);
      }
    } else {
      for (std::int64_t j = 0; j < columns; ++j) {
        to[2 * j] = static_cast<Bfloat16Bits>(bfloat16_bits(even[j]));
        to[2 * j + 1] = 0;
      }
    }
  }
}

}  // namespace gloss::kernels::GLOSS_INSTRUCTION_SET
