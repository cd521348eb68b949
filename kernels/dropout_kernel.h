#pragma once

#include <cstdint>

namespace gloss::kernels {

/// The dropped elements of one dropout operation: those whose random bits are below `threshold`.
struct DropoutMask {
  std::uint32_t key[2];     ///< of the random stream
  std::uint32_t update;     ///< of the random stream
  std::uint32_t shard;      ///< of the random stream
  std::uint32_t threshold;  ///< p * 2^32
  float scale;              ///< 1 / (1 - p)
};

/// out[e] = in[e] * scale, or 0 if RandomStream::bits(first + e) < threshold, for e from 0 to count - 1. `first` is a
/// multiple of 4. The bits are the same for every instruction set.
using DropoutKernel = void(const float* in, float* out, std::uint64_t first, std::uint64_t count,
                           const DropoutMask& mask);

/// out[e] = residual[e] + dropout(in[e]), with dropout as in DropoutKernel.
using DropoutAndAddKernel = void(const float* residual, const float* in, float* out, std::uint64_t first,
                                 std::uint64_t count, const DropoutMask& mask);

/// Computes values[e] = dropout(max(0, values[e])) in place. NaN stays NaN unless it is dropped.
using ReluAndDropoutKernel = void(float* values, std::uint64_t first, std::uint64_t count, const DropoutMask& mask);

/// Computes the gradient of ReluAndDropoutKernel's input from that of its result: result[e] = gradient[e] * scale if
/// value[e], the result of the forward pass, is positive or NaN, else 0.
using ReluAndDropoutBackwardKernel = void(const float* value, const float* gradient, float* result, std::uint64_t count,
                                          float scale);

}  // namespace gloss::kernels
