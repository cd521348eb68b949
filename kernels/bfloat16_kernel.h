#pragma once

#include <cstdint>

namespace gloss::kernels {

/// A bfloat16 value: the upper half of a float.
using Bfloat16Bits = std::uint16_t;

/// out[i * out_stride + j] = in[i * in_stride + j], rounded to the nearest, ties to even, for i below `rows` and j
/// below `columns`; a column of zeros is added where `columns` is odd.
using ToBfloat16Kernel = void(const float* in, std::int64_t in_stride, std::int64_t rows, std::int64_t columns,
                              Bfloat16Bits* out, std::int64_t out_stride);

/// The same with the values of two rows side by side, as instructions that multiply pairs take them:
/// out[(i / 2 * columns + j) * 2 + i % 2]; a row of zeros is added where `rows` is odd.
using ToBfloat16PairsKernel = void(const float* in, std::int64_t in_stride, std::int64_t rows, std::int64_t columns,
                                   Bfloat16Bits* out);

}  // namespace gloss::kernels
