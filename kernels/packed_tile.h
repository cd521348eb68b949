#pragma once

// For the bodies alone: products with a packed matrix, tile by tile in registers.
#include "kernels/bfloat16_kernel.h"
#include "kernels/packed_product_kernel.h"
#include "kernels/vectors.h"

namespace gloss::kernels::GLOSS_INSTRUCTION_SET {
namespace {

constexpr int kTileRows = 6;                          // with the columns below they fill the registers
constexpr int kTileVectors = kFloats == 16 ? 4 : 2;   // of a tile's columns
constexpr int kTileColumns = kTileVectors * kFloats;  // divides a panel
static_assert(kPanelColumns % kTileColumns == 0);

using Tile = Floats[kTileRows][kTileVectors];

#if defined(__AVX512BF16__)
inline Floats add_pairs(Floats sums, std::uint32_t x, Words w) {
  return (Floats)_mm512_dpbf16_ps((__m512)sums, (__m512bh)(Words{} + x), (__m512bh)w);
}
#else
// Two bfloat16 products, the first in the lower half.
inline Floats add_pairs(Floats sums, std::uint32_t x, Words w) {
  const float first = __builtin_bit_cast(float, x << 16), second = __builtin_bit_cast(float, x & 0xFFFF0000U);
  return sums + first * (Floats)(w << 16) + second * (Floats)(w & 0xFFFF0000U);
}
#endif

#if defined(__AVX512VNNI__)
inline Integers add_fours(Integers sums, std::uint32_t x, Words w) {
  return (Integers)_mm512_dpbusd_epi32((__m512i)sums, (__m512i)(Words{} + x), (__m512i)w);
}
#else
// Four products of an unsigned byte of x and a signed one of w.
inline Integers add_fours(Integers sums, std::uint32_t x, Words w) {
  for (int byte = 0; byte < 4; ++byte) {
    const Integers weight = (Integers)(w << (24 - 8 * byte)) >> 24;
    sums += weight * static_cast<std::int32_t>(x >> (8 * byte) & 0xFF);
  }
  return sums;
}
#endif

inline Words load_words(const std::uint32_t* from) {
  Words x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}

// Some rows of a product's input, as its precision wants them: `stride` groups a row.
struct Input {
  const void* data;
  std::int64_t stride;
  const float* scales;  // int8: what a step of each row is worth
};

// tile = bias + kRows rows of `in` times kTileColumns columns from `column` on.
template <int kRows>
inline void float32_tile(Input in, const PackedMatrix& matrix, std::int64_t column, Tile& tile) {
  const float* const panel = static_cast<const float*>(matrix.panels) +
                             column / kPanelColumns * kPanelColumns * matrix.inner + column % kPanelColumns;
  const auto* const x = static_cast<const float*>(in.data);
#pragma GCC unroll 6
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kTileVectors; ++v) tile[r][v] = load(matrix.bias + column + v * kFloats);
  }
  for (std::int64_t k = 0; k < matrix.inner; ++k) {
    Floats row[kTileVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kTileVectors; ++v) row[v] = load(panel + k * kPanelColumns + v * kFloats);
#pragma GCC unroll 6
    for (int r = 0; r < kRows; ++r) {
      const float factor = x[r * in.stride + k];
#pragma GCC unroll 4
      for (int v = 0; v < kTileVectors; ++v) tile[r][v] += factor * row[v];
    }
  }
}

// The same sums over groups: each 32 bits of x with each column's 32 bits of weights.
template <int kRows, typename Sums, typename Add>
inline void sum_groups(Input in, const PackedMatrix& matrix, std::int64_t column, Sums& sums, Add add) {
  const std::int64_t groups = groups_of(matrix.precision, matrix.inner);
  const auto* const panel = static_cast<const std::uint32_t*>(matrix.panels) +
                            column / kPanelColumns * kPanelColumns * groups + column % kPanelColumns;
  const auto* const x = static_cast<const std::uint32_t*>(in.data);
  for (std::int64_t g = 0; g < groups; ++g) {
    Words row[kTileVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kTileVectors; ++v) row[v] = load_words(panel + g * kPanelColumns + v * kFloats);
#pragma GCC unroll 6
    for (int r = 0; r < kRows; ++r) {
      const std::uint32_t factors = x[r * in.stride + g];
#pragma GCC unroll 4
      for (int v = 0; v < kTileVectors; ++v) sums[r][v] = add(sums[r][v], factors, row[v]);
    }
  }
}

template <int kRows>
inline void bfloat16_tile(Input in, const PackedMatrix& matrix, std::int64_t column, Tile& tile) {
#pragma GCC unroll 6
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kTileVectors; ++v) tile[r][v] = load(matrix.bias + column + v * kFloats);
  }
  sum_groups<kRows>(in, matrix, column, tile,
                    [](Floats sums, std::uint32_t x, Words w) { return add_pairs(sums, x, w); });
}

// x = (byte - 128) * row's scale, w = byte * column's scale.
template <int kRows>
inline void int8_tile(Input in, const PackedMatrix& matrix, std::int64_t column, Tile& tile) {
  Integers sums[kTileRows][kTileVectors];
#pragma GCC unroll 6
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kTileVectors; ++v) sums[r][v] = Integers{};
  }
  sum_groups<kRows>(in, matrix, column, sums, [](Integers s, std::uint32_t x, Words w) { return add_fours(s, x, w); });
#pragma GCC unroll 6
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kTileVectors; ++v) {
      const std::int64_t at = column + v * kFloats;
      Integers offset;
      __builtin_memcpy(&offset, matrix.offsets + at, sizeof offset);
      const Floats steps = __builtin_convertvector(sums[r][v] - offset, Floats);
      tile[r][v] = steps * (load(matrix.scales + at) * in.scales[r]) + load(matrix.bias + at);
    }
  }
}

template <int kRows>
struct TileRows {
  static constexpr int value = kRows;
};
// Calls work with the number of rows of a tile as a type.
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

inline std::uint32_t bfloat16_bits(float x) {
  const auto bits = __builtin_bit_cast(std::uint32_t, x);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return bits >> 16 | 0x40U;  // NaN stays one
  return (bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16;
}

inline void to_bfloat16_row(const float* x, std::int64_t inner, std::uint32_t* out) {
  const std::int64_t pairs = inner / 2;
  for (std::int64_t g = 0; g < pairs; ++g) out[g] = bfloat16_bits(x[2 * g]) | bfloat16_bits(x[2 * g + 1]) << 16;
  if (inner % 2 != 0) out[pairs] = bfloat16_bits(x[inner - 1]);
}

// Returns what a step is worth. NaN or infinity in the row makes that NaN, and so all that comes of it.
inline float to_int8_row(const float* x, std::int64_t inner, std::uint32_t* out) {
  float most = 0, poison = 0;
  for (std::int64_t k = 0; k < inner; ++k) {
    const float size = x[k] < 0 ? -x[k] : x[k];
    most = most < size ? size : most;
    poison += x[k] - x[k];
  }
  const float scale = most / 127, inverse = most > 0 ? 127 / most : 0;
  auto* const bytes = reinterpret_cast<std::uint8_t*>(out);
  for (std::int64_t k = 0; k < inner; ++k) {
    constexpr float kMagic = 0x1.8p23F;  // added, it rounds to a whole number, ties to even
    const float rounded = x[k] * inverse + kMagic;
    bytes[k] = static_cast<std::uint8_t>(__builtin_bit_cast(std::int32_t, rounded) -
                                         __builtin_bit_cast(std::int32_t, kMagic) + 128);
  }
  for (std::int64_t k = inner; k % 4 != 0; ++k) bytes[k] = 0;  // its weight is 0
  return scale + poison;
}

// The rows as the matrix's precision wants them, in `scratch` where they are not float32's.
inline Input input_of(Rows in, std::int64_t rows, const PackedMatrix& matrix, void* scratch) {
  if (matrix.precision == Precision::kFloat32) return {in.data, in.stride, nullptr};
  const std::int64_t groups = groups_of(matrix.precision, matrix.inner);
  auto* const words = static_cast<std::uint32_t*>(scratch);
  auto* const scales = reinterpret_cast<float*>(words + rows * groups);
  for (std::int64_t r = 0; r < rows; ++r) {
    if (matrix.precision == Precision::kBfloat16)
      to_bfloat16_row(in.data + r * in.stride, matrix.inner, words + r * groups);
    else
      scales[r] = to_int8_row(in.data + r * in.stride, matrix.inner, words + r * groups);
  }
  return {words, groups, scales};
}

// Calls look(sums of a row's kTileColumns columns, row, column) for all rows and panels of a job, which is a
// PackedProduct or alike. A panel stays in the cache while all rows go past it.
template <typename Job, typename Look>
inline void for_each_tile(const Job& job, Look look) {
  const PackedMatrix& matrix = job.matrix;
  const Input input = input_of(job.in, job.rows, matrix, job.scratch);
  const auto end = job.last * kPanelColumns < matrix.columns ? job.last * kPanelColumns : matrix.columns;
  for (std::int64_t column = job.first * kPanelColumns; column < end; column += kTileColumns) {
    for (std::int64_t row = 0; row < job.rows; row += kTileRows) {
      with_tile_rows(job.rows - row, [&](auto count) {
        Tile tile;
        const Input from{static_cast<const std::uint32_t*>(input.data) + row * input.stride, input.stride,
                         input.scales == nullptr ? nullptr : input.scales + row};
        if (matrix.precision == Precision::kFloat32)
          float32_tile<count.value>(from, matrix, column, tile);
        else if (matrix.precision == Precision::kBfloat16)
          bfloat16_tile<count.value>(from, matrix, column, tile);
        else
          int8_tile<count.value>(from, matrix, column, tile);
        for (int r = 0; r < count.value; ++r) look(tile[r], row + r, column);
      });
    }
  }
}

}  // namespace
}  // namespace gloss::kernels::GLOSS_INSTRUCTION_SET
