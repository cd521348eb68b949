// Compiled once for each instruction set (kernel_table.h).
#include "kernels/bodies/kernel_bodies.h"
#include "kernels/bodies/vectors.h"

namespace gloss::kernels::GLOSS_INSTRUCTION_SET {

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

}  // namespace gloss::kernels::GLOSS_INSTRUCTION_SET
