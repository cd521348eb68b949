#pragma once

// Products with a packed matrix, computed in tiles that fit into registers. Included by the bodies only.
#include "kernels/bodies/vectors.h"
#include "kernels/matrix_kernel.h"
#include "kernels/packed_product_kernel.h"

namespace gloss::kernels::GLOSS_INSTRUCTION_SET {
namespace {

constexpr int kTileRows = 6;                          // with the columns below, a tile fills the registers
constexpr int kTileVectors = kFloats == 16 ? 4 : 2;   // vectors in a row of a tile
constexpr int kTileColumns = kTileVectors * kFloats;  // divides kPanelColumns
static_assert(kPanelColumns % kTileColumns == 0);

using Tile = Floats[kTileRows][kTileVectors];

#if defined(__AVX512BF16__)
inline Floats add_pairs(Floats sums, std::uint32_t x, Words w) {
  return (Floats)_mm512_dpbf16_ps((__m512)sums, (__m512bh)(Words{} + x), (__m512bh)w);
}
#else
// Adds two bfloat16 products; the first factors are in the lower halves.
inline Floats add_pairs(Floats sums, std::uint32_t x, Words w) {
  const float first = __builtin_bit_cast(float, x << 16), second = __builtin_bit_cast(float, x & 0xFFFF0000U);
  return sums + first * (Floats)(w << 16) + second * (Floats)(w & 0xFFFF0000U);
}
#endif

// Words of the input in a group of int8: VNNI multiplies bytes, the other sets 16-bit integers.
#if defined(__AVX512VNNI__)
constexpr int kInt8Words = 1;

// Adds four products of an unsigned byte of x and a signed byte of w.
inline Integers add_fours(Integers sums, std::uint32_t x, Words w) {
  return (Integers)_mm512_dpbusd_epi32((__m512i)sums, (__m512i)(Words{} + x), (__m512i)w);
}
#else
constexpr int kInt8Words = 2;

// Adds two products of signed 16-bit integers. A product of unsigned bytes and signed ones, vpmaddubsw, would saturate.
inline Integers add_twos(Integers sums, std::uint32_t x, Shorts w) {
#if defined(__AVX512BW__)
  return sums + (Integers)_mm512_madd_epi16((__m512i)(Words{} + x), (__m512i)w);
#elif defined(__AVX2__)
  return sums + (Integers)_mm256_madd_epi16((__m256i)(Words{} + x), (__m256i)w);
#elif defined(__SSE2__)
  return sums + (Integers)_mm_madd_epi16((__m128i)(Words{} + x), (__m128i)w);
#else
  const Integers both = (Integers)w;
  return sums + (both << 16 >> 16) * static_cast<std::int16_t>(x) + (both >> 16) * static_cast<std::int16_t>(x >> 16);
#endif
}
#endif

inline Words load_words(const std::uint32_t* from) {
  Words x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}

// Rows of a product's input in the matrix's precision. Consecutive rows are `stride` elements apart: floats, or groups
// of 32 bits.
struct Input {
  const void* data;
  std::int64_t stride;
  const float* scales;  // int8: scale of each row
};

// tile = bias + kRows rows of `in` times kTileColumns columns, starting at `column`.
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

// Sums over groups: each 32 bits of x are multiplied with 32 bits of weights of each column.
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

// x = (byte - 128) * scale of the row, w = byte * scale of the column.
template <int kRows>
inline void int8_tile(Input in, const PackedMatrix& matrix, std::int64_t column, Tile& tile) {
  Integers sums[kTileRows][kTileVectors];
#pragma GCC unroll 6
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kTileVectors; ++v) sums[r][v] = Integers{};
  }
#if defined(__AVX512VNNI__)
  sum_groups<kRows>(in, matrix, column, sums, [](Integers s, std::uint32_t x, Words w) { return add_fours(s, x, w); });
#else
  const Input odd{static_cast<const std::uint32_t*>(in.data) + in.stride / 2, in.stride, in.scales};
  sum_groups<kRows>(in, matrix, column, sums,
                    [](Integers s, std::uint32_t x, Words w) { return add_twos(s, x, (Shorts)w << 8 >> 8); });
  sum_groups<kRows>(odd, matrix, column, sums,
                    [](Integers s, std::uint32_t x, Words w) { return add_twos(s, x, (Shorts)w >> 8); });
#endif
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
using TileRows = std::integral_constant<int, kRows>;
// Calls `work` with the number of rows of a tile as a type.
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

inline void to_bfloat16_row(const float* x, std::int64_t inner, std::uint32_t* out) {
  const std::int64_t pairs = inner / 2;
  for (std::int64_t g = 0; g < pairs; ++g) out[g] = bfloat16_bits(x[2 * g]) | bfloat16_bits(x[2 * g + 1]) << 16;
  if (inner % 2 != 0) out[pairs] = bfloat16_bits(x[inner - 1]);
}

// Quantizes one row and returns its scale. The scale is NaN if the row contains NaN or infinity, which makes all
// results of the row NaN.
inline float to_int8_row(const float* x, std::int64_t inner, std::uint32_t* out) {
  const std::int64_t whole = inner / kFloats * kFloats;
  Floats sizes = broadcast(0), differences = broadcast(0);
  for (std::int64_t k = 0; k < whole; k += kFloats) {
    const Floats part = load(x + k);
    sizes = max_of(part < 0 ? -part : part, sizes);
    differences += part - part;
  }
  float max_size = max_of(sizes), poison = sum_of(differences);
  for (std::int64_t k = whole; k < inner; ++k) {
    const float size = x[k] < 0 ? -x[k] : x[k];
    max_size = max_size < size ? size : max_size;
    poison += x[k] - x[k];
  }
  const float scale = max_size / 127, inverse = max_size > 0 ? 127 / max_size : 0;
  auto* const bytes = reinterpret_cast<std::uint8_t*>(out);
  for (std::int64_t k = 0; k < inner; ++k) {
    constexpr float kMagic = 0x1.8p23F;  // adding it rounds to an integer, ties to even
    const float rounded = x[k] * inverse + kMagic;
    bytes[k] = static_cast<std::uint8_t>(__builtin_bit_cast(std::int32_t, rounded) -
                                         __builtin_bit_cast(std::int32_t, kMagic) + 128);
  }
  for (std::int64_t k = inner; k % 4 != 0; ++k) bytes[k] = 0;  // the packed weight there is 0
  if constexpr (kInt8Words == 2) {
    const std::int64_t groups = groups_of(Precision::kInt8, inner);
    for (std::int64_t g = 0; g < groups; ++g) {
      const std::uint32_t group = out[g];
      out[g] = group & 0x00FF00FF;  // the bytes 0 and 2
      out[groups + g] = group >> 8 & 0x00FF00FF;
    }
  }
  return scale + poison;
}

// Returns the rows in the matrix's precision. Rows that are not float32 are converted into `scratch`.
inline Input input_of(Rows in, std::int64_t rows, const PackedMatrix& matrix, void* scratch) {
  if (matrix.precision == Precision::kFloat32) return {in.data, in.stride, nullptr};
  const std::int64_t stride =
      groups_of(matrix.precision, matrix.inner) * (matrix.precision == Precision::kInt8 ? kInt8Words : 1);
  auto* const words = static_cast<std::uint32_t*>(scratch);
  auto* const scales = reinterpret_cast<float*>(words + rows * stride);
  for (std::int64_t r = 0; r < rows; ++r) {
    if (matrix.precision == Precision::kBfloat16)
      to_bfloat16_row(in.data + r * in.stride, matrix.inner, words + r * stride);
    else
      scales[r] = to_int8_row(in.data + r * in.stride, matrix.inner, words + r * stride);
  }
  return {words, stride, scales};
}

// Calls visit(sums of kTileColumns columns of a row, row, column) for all rows and panels of `job`, a PackedProduct or
// TopTokens. The loop over rows is the inner one, so that a panel stays in the cache.
template <typename Job, typename Visit>
inline void for_each_tile(const Job& job, Visit visit) {
  const PackedMatrix& matrix = job.matrix;
  const Input input = input_of(job.in, job.rows, matrix, job.scratch);
  const auto end = job.last * kPanelColumns < matrix.columns ? job.last * kPanelColumns : matrix.columns;
  // The numbers of rows of two tiles differ by at most one: a tile of one row would wait for its additions.
  const std::int64_t tiles = (job.rows + kTileRows - 1) / kTileRows;
  const std::int64_t rows = tiles > 0 ? job.rows / tiles : 0, larger = job.rows - rows * tiles;
  for (std::int64_t column = job.first * kPanelColumns; column < end; column += kTileColumns) {
    for (std::int64_t row = 0, t = 0; t < tiles; ++t) {
      with_tile_rows(rows + (t < larger ? 1 : 0), [&](auto count) {
        Tile tile;
        const Input from{static_cast<const std::uint32_t*>(input.data) + row * input.stride, input.stride,
                         input.scales == nullptr ? nullptr : input.scales + row};
        if (matrix.precision == Precision::kFloat32)
          float32_tile<count.value>(from, matrix, column, tile);
        else if (matrix.precision == Precision::kBfloat16)
          bfloat16_tile<count.value>(from, matrix, column, tile);
        else
          int8_tile<count.value>(from, matrix, column, tile);
        for (int r = 0; r < count.value; ++r) visit(tile[r], row + r, column);
        row += count.value;
      });
    }
  }
}

}  // namespace
}  // namespace gloss::kernels::GLOSS_INSTRUCTION_SET
