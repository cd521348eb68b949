#pragma once

// For the bodies alone: the innermost block of a product with a packed matrix.
#include "model/kernels/packed_product_kernel.h"
#include "model/kernels/vectors.h"

namespace gloss::kernels::GLOSS_INSTRUCTION_SET {
namespace {

constexpr int kTileRows = 6;                          // with the columns below they fill the registers
constexpr int kTileVectors = kFloats == 16 ? 4 : 2;   // of a tile's columns
constexpr int kTileColumns = kTileVectors * kFloats;  // divides a panel
static_assert(kPanelColumns % kTileColumns == 0);

// sums = bias + rows of `in` times kTileColumns columns of a panel.
template <int kRows>
inline void packed_tile(Rows in, const float* panel, const float* bias, std::int64_t inner,
                        Floats (&sums)[kTileRows][kTileVectors]) {
#pragma GCC unroll 6
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kTileVectors; ++v) sums[r][v] = load(bias + v * kFloats);
  }
  for (std::int64_t k = 0; k < inner; ++k) {
    Floats row[kTileVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kTileVectors; ++v) row[v] = load(panel + k * kPanelColumns + v * kFloats);
#pragma GCC unroll 6
    for (int r = 0; r < kRows; ++r) {
      const float factor = in.data[r * in.stride + k];
#pragma GCC unroll 4
      for (int v = 0; v < kTileVectors; ++v) sums[r][v] += factor * row[v];
    }
  }
}

// Calls work(std::integral_constant-like tag of 1 to kTileRows) for the rows of a tile.
template <int kRows>
struct TileRows {
  static constexpr int value = kRows;
};
template <typename Work>
inline void with_tile_rows(std::int64_t rows, Work work) {
  switch (rows) {
    case 1:
      return work(TileRows<1>{});
    case 2:
      return work(TileRows<2>{});
    case 3:
      return work(TileRows<3>{});
    case 4:
      return work(TileRows<4>{});
    case 5:
      return work(TileRows<5>{});
    default:
      return work(TileRows<6>{});
  }
}

}  // namespace
}  // namespace gloss::kernels::GLOSS_INSTRUCTION_SET
