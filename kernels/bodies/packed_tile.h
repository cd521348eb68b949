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

inline Words load_words(const float* from) { return (Words)load(from); }

// Rows of a product's input in the matrix's precision. Consecutive rows are `stride` elements apart: floats, or groups
// of 32 bits.
struct Input {
  const void* data;
  std::int64_t stride;
  const float* scales;  // int8: scale of each row
};

// tile = bias + kRows rows of `in` times kTileColumns columns, starting at `column`, whose words are in `panel`.
template <int kRows>
inline void float32_tile(Input in, const PackedMatrix& matrix, const float* panel, std::int64_t column, Tile& tile) {
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
inline void sum_groups(Input in, const PackedMatrix& matrix, const float* panel, Sums& sums, Add add) {
  const std::int64_t groups = groups_of(matrix.precision, matrix.inner);
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
inline void bfloat16_tile(Input in, const PackedMatrix& matrix, const float* panel, std::int64_t column, Tile& tile) {
#pragma GCC unroll 6
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kTileVectors; ++v) tile[r][v] = load(matrix.bias + column + v * kFloats);
  }
  sum_groups<kRows>(in, matrix, panel, tile,
                    [](Floats sums, std::uint32_t x, Words w) { return add_pairs(sums, x, w); });
}

// x = (byte - 128) * scale of the row, w = byte * scale of the column.
template <int kRows>
inline void int8_tile(Input in, const PackedMatrix& matrix, const float* panel, std::int64_t column, Tile& tile) {
  Integers sums[kTileRows][kTileVectors];
#pragma GCC unroll 6
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kTileVectors; ++v) sums[r][v] = Integers{};
  }
#if defined(__AVX512VNNI__)
  sum_groups<kRows>(in, matrix, panel, sums, [](Integers s, std::uint32_t x, Words w) { return add_fours(s, x, w); });
#else
  const Input odd{static_cast<const std::uint32_t*>(in.data) + in.stride / 2, in.stride, in.scales};
  sum_groups<kRows>(in, matrix, panel, sums,
                    [](Integers s, std::uint32_t x, Words w) { return add_twos(s, x, (Shorts)w << 8 >> 8); });
  sum_groups<kRows>(odd, matrix, panel, sums,
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

// Quantizes one row to steps of `step`, or of max |x| / 127 if it is 0, and returns the step. It is NaN if the row
// contains NaN or infinity, which makes all results of the row NaN.
inline float to_int8_row(const float* x, std::int64_t inner, float step, std::uint32_t* out) {
  constexpr std::int32_t kMagnitude = 0x7FFFFFFF, kInfinity = 0x7F800000;
  Integers sizes{};  // |x| as bits, which are ordered as the numbers are; those of NaN are the greatest
  std::int64_t whole = 0;
  for (; whole + kFloats <= inner; whole += kFloats) {
    const Integers part = (Integers)load(x + whole) & kMagnitude;
    sizes = sizes > part ? sizes : part;
  }
  std::int32_t greatest = 0;
  for (int lane = 0; lane < kFloats; ++lane) greatest = greatest > sizes[lane] ? greatest : sizes[lane];
  for (std::int64_t k = whole; k < inner; ++k) {
    const std::int32_t part = __builtin_bit_cast(std::int32_t, x[k]) & kMagnitude;
    greatest = greatest > part ? greatest : part;
  }
  const auto max_size = __builtin_bit_cast(float, greatest);
  static constexpr float kMagic = 0x1.8p23F;  // adding it rounds to an integer, ties to even
  auto* const bytes = reinterpret_cast<std::uint8_t*>(out);
  const auto byte_of = [](float rounded) {
    return static_cast<std::uint8_t>(__builtin_bit_cast(std::int32_t, rounded) -
                                     __builtin_bit_cast(std::int32_t, kMagic) + 128);
  };
  if (step > 0) {
    const float inverse = 1 / step;
    for (std::int64_t k = 0; k < inner; ++k) {
      const float steps = x[k] * inverse, from_below = steps < -127 ? -127 : steps;
      bytes[k] = byte_of((from_below > 127 ? 127 : from_below) + kMagic);
    }
  } else {
    const float inverse = max_size > 0 ? 127 / max_size : 0;
    for (std::int64_t k = 0; k < inner; ++k) bytes[k] = byte_of(x[k] * inverse + kMagic);
    step = max_size / 127;
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
  return greatest < kInfinity ? step : __builtin_nanf("");
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
      scales[r] = to_int8_row(in.data + r * in.stride, matrix.inner, matrix.input_scale, words + r * stride);
  }
  return {words, stride, scales};
}

// Loads a vector of words of a row that has `bytes` more; those past its end are 0.
inline Floats load_row(const std::uint8_t* from, std::int64_t bytes) {
  Floats x = broadcast(0);
  if (bytes >= kBytes)
    __builtin_memcpy(&x, from, kBytes);
  else
    __builtin_memcpy(&x, from, static_cast<std::size_t>(bytes));
  return x;
}

// Packs the listed columns from `column` on as a panel.
inline void pack_panel(const PackedMatrix& matrix, std::int64_t column, float* panel) {
  const std::int64_t groups = groups_of(matrix.precision, matrix.inner);
  const std::int64_t bytes = matrix.inner * 4 / group_of(matrix.precision);  // of a row
  const auto* const weight = static_cast<const std::uint8_t*>(matrix.weight);
  for (std::int64_t first = 0; first < kPanelColumns; first += kFloats) {
    for (std::int64_t g = 0; g < groups; g += kFloats) {
      Floats words[kFloats];
      for (std::int64_t i = 0; i < kFloats; ++i) {
        const std::int64_t j = column + first + i;
        words[i] =
            j < matrix.columns ? load_row(weight + matrix.listed[j] * bytes + 4 * g, bytes - 4 * g) : broadcast(0);
      }
      transpose_blocks(words);
      for (std::int64_t i = 0; i < kFloats && g + i < groups; ++i)
        store(panel + (g + i) * kPanelColumns + first, words[i]);
    }
  }
}

// Calls visit(sums of kTileColumns columns of a row, row, column) for all rows and panels of `job`, a PackedProduct or
// TopTokens. The loop over rows is the inner one, so that a panel stays in the cache.
template <typename Job, typename Visit>
inline void for_each_tile(const Job& job, Visit visit) {
  const PackedMatrix& matrix = job.matrix;
  const std::int64_t words = groups_of(matrix.precision, matrix.inner) * kPanelColumns;  // of a panel
  auto* const packed = matrix.listed == nullptr ? nullptr : static_cast<float*>(job.scratch);
  const Input input = input_of(job.in, job.rows, matrix, packed == nullptr ? job.scratch : packed + words);
  const auto end = job.last * kPanelColumns < matrix.columns ? job.last * kPanelColumns : matrix.columns;
  // The numbers of rows of two tiles differ by at most one: a tile of one row would wait for its additions.
  const std::int64_t tiles = (job.rows + kTileRows - 1) / kTileRows;
  const std::int64_t rows = tiles > 0 ? job.rows / tiles : 0, larger = job.rows - rows * tiles;
  for (std::int64_t column = job.first * kPanelColumns; column < end; column += kTileColumns) {
    if (packed != nullptr && column % kPanelColumns == 0) pack_panel(matrix, column, packed);
    const float* const panel =
        (packed != nullptr ? packed : static_cast<const float*>(matrix.panels) + column / kPanelColumns * words) +
        column % kPanelColumns;
    for (std::int64_t row = 0, t = 0; t < tiles; ++t) {
      with_tile_rows(rows + (t < larger ? 1 : 0), [&](auto count) {
        Tile tile;
        const Input from{static_cast<const std::uint32_t*>(input.data) + row * input.stride, input.stride,
                         input.scales == nullptr ? nullptr : input.scales + row};
        if (matrix.precision == Precision::kFloat32)
          float32_tile<count.value>(from, matrix, panel, column, tile);
        else if (matrix.precision == Precision::kBfloat16)
          bfloat16_tile<count.value>(from, matrix, panel, column, tile);
        else
          int8_tile<count.value>(from, matrix, panel, column, tile);
        for (int r = 0; r < count.value; ++r) visit(tile[r], row + r, column);
        row += count.value;
      });
    }
  }
}

}  // namespace
}  // namespace gloss::kernels::GLOSS_INSTRUCTION_SET
