#pragma once

#include <cstdint>

namespace gloss::kernels {

struct NormWeights {
  const float* weight = nullptr;  ///< [width]
  const float* bias = nullptr;    ///< [width]
  std::int64_t width = 0;
  float epsilon = 0;
};

/// out [width] = (x - mean) / sqrt(variance + epsilon) * weight + bias, with the biased variance. x and out may be the
/// same array.
using LayerNormKernel = void(const float* x, const NormWeights& weights, float* out);

}  // namespace gloss::kernels
