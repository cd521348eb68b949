#pragma once

#include <cstdint>

namespace gloss::kernels {

/// out[j] = sum of in[i * stride + j] over i < rows, for j < columns.
using ColumnSumsKernel = void(const float* in, std::int64_t stride, std::int64_t rows, std::int64_t columns,
                              float* out);

}  // namespace gloss::kernels
