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

}  // namespace gloss::kernels::GLOSS_INSTRUCTION_SET
