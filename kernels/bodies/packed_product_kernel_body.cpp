// Compiled once for each instruction set (kernel_table.h).
#include "kernels/bodies/kernel_bodies.h"
#include "kernels/bodies/packed_tile.h"

namespace gloss::kernels::GLOSS_INSTRUCTION_SET {
namespace {

inline Floats finished(Floats sum, const float* out, Finish finish) {
  if (finish == Finish::kRelu) return max_of(broadcast(0), sum);  // NaN propagates
  return finish == Finish::kAdd ? load(out) + sum : sum;
}

inline void store_row(const Floats (&sums)[kTileVectors], float* out, std::int64_t columns, Finish finish) {
  if (columns >= kTileColumns) {
    for (int v = 0; v < kTileVectors; ++v) store(out + v * kFloats, finished(sums[v], out + v * kFloats, finish));
    return;
  }
  for (std::int64_t j = 0; j < columns; ++j) {
    const float sum = sums[j / kFloats][j % kFloats];
    if (finish == Finish::kRelu)
      out[j] = sum < 0 ? 0 : sum;
    else
      out[j] = finish == Finish::kAdd ? out[j] + sum : sum;
  }
}

}  // namespace

void packed_product(const PackedProduct& product) {
  for_each_tile(product, [&](const Floats(&sums)[kTileVectors], std::int64_t row, std::int64_t column) {
    store_row(sums, product.out.data + row * product.out.stride + column, product.matrix.columns - column,
              product.finish);
  });
}

}  // namespace gloss::kernels::GLOSS_INSTRUCTION_SET
