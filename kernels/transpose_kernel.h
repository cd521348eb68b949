#pragma once

#include <cstdint>

namespace gloss::kernels {

/// out[j * out_stride + i] = in[i * in_stride + j] for i < rows and j < columns.
using TransposeKernel = void(const float* in, std::int64_t in_stride, std::int64_t rows, std::int64_t columns,
                             float* out, std::int64_t out_stride);

}  // namespace gloss::kernels
