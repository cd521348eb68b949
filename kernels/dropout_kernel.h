#pragma once

#include <cstdint>

namespace gloss::kernels {

/// Which elements a dropout drops: those whose random bits are below `threshold`.
struct DropoutMask {
  std::uint32_t key[2];       ///< of the random stream
  std::uint32_t update;       ///< of the random stream
  std::uint32_t micro_batch;  ///< of the random stream
  std::uint32_t threshold;    ///< p * 2^32
  float scale;                ///< 1 / (1 - p)
};

/// out[e] = in[e] * scale, or 0 where RandomStream::bits(first + e) < threshold, for e from 0 to count - 1. `first` is
/// a multiple of 4. The bits are the same for every instruction set.
using DropoutKernel = void(const float* in, float* out, std::uint64_t first, std::uint64_t count,
                           const DropoutMask& mask);

/// out[e] = residual[e] + what DropoutKernel makes of in[e].
using DropoutAndAddKernel = void(const float* residual, const float* in, float* out, std::uint64_t first,
                                 std::uint64_t count, const DropoutMask& mask);

/// In place: what DropoutKernel makes of max(0, values[e]); what is no number stays none unless it is dropped.
using ReluAndDropoutKernel = void(float* values, std::uint64_t first, std::uint64_t count, const DropoutMask& mask);

/// The gradient of what ReluAndDropoutKernel takes from that of its result: result[e] = gradient[e] * scale where
/// value[e], the result, is above 0 or no number, else 0.
using ReluAndDropoutBackwardKernel = void(const float* value, const float* gradient, float* result, std::uint64_t count,
                                          float scale);

}  // namespace gloss::kernels
