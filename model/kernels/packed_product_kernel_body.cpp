// Compiled once for each instruction set (kernel_table.h). A panel stays in the cache while all rows go past it.
#include "model/kernels/kernel_bodies.h"
#include "model/kernels/packed_tile.h"

namespace gloss::kernels::GLOSS_INSTRUCTION_SET {
namespace {

inline Floats finished(Floats sum, const float* out, Finish finish) {
  if (finish == Finish::kRelu) return max_of(sum, spread(0));
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
      out[j] = sum > 0 ? sum : 0;
    else
      out[j] = finish == Finish::kAdd ? out[j] + sum : sum;
  }
}

}  // namespace

void packed_product(const PackedProduct& product) {
  const auto& matrix = product.matrix;
  for (std::int64_t column = product.first * kPanelColumns; column < product.last * kPanelColumns;
       column += kTileColumns) {
    if (column >= matrix.columns) return;
    const float* const panel =
        matrix.panels + column / kPanelColumns * kPanelColumns * matrix.inner + column % kPanelColumns;
    for (std::int64_t row = 0; row < product.rows; row += kTileRows) {
      with_tile_rows(product.rows - row, [&](auto rows) {
        Floats sums[kTileRows][kTileVectors];
        packed_tile<rows.value>({product.in.data + row * product.in.stride, product.in.stride}, panel,
                                matrix.bias + column, matrix.inner, sums);
        for (int r = 0; r < rows.value; ++r)
          store_row(sums[r], product.out.data + (row + r) * product.out.stride + column, matrix.columns - column,
                    product.finish);
      });
    }
  }
}

}  // namespace gloss::kernels::GLOSS_INSTRUCTION_SET
