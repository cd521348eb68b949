#pragma once

#include <cstdint>

namespace gloss::kernels {

/// out[j * out_stride + i] = in[i * in_stride + j] for i < rows and j < columns.
using TransposeKernel = void(const float* in, std::int64_t in_stride, std::int64_t rows, std::int64_t columns,
                             float* out, std::int64_t out_stride);

/// out[j] = sum of in[i * stride + j] over i < rows, for j < columns.
using ColumnSumsKernel = void(const float* in, std::int64_t stride, std::int64_t rows, std::int64_t columns,
                              float* out);

/// A bfloat16 value: the upper half of a float.
using Bfloat16Bits = std::uint16_t;

/// out[i * out_stride + j] = in[i * in_stride + j], rounded to nearest, ties to even, for i < rows and j < columns. If
/// `columns` is odd, a column of zeros is appended.
using ToBfloat16Kernel = void(const float* in, std::int64_t in_stride, std::int64_t rows, std::int64_t columns,
                              Bfloat16Bits* out, std::int64_t out_stride);

/// Converts like ToBfloat16Kernel and interleaves the values of two rows, the operand layout of instructions that
/// multiply pairs: out[(i / 2 * columns + j) * 2 + i % 2]. If `rows` is odd, a row of zeros is appended.
using ToBfloat16PairsKernel = void(const float* in, std::int64_t in_stride, std::int64_t rows, std::int64_t columns,
                                   Bfloat16Bits* out);

}  // namespace gloss::kernels
