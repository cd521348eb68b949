#pragma once

#include <cstdint>

#include "model/kernels/instruction_set.h"

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
using DropoutKernel = void (*)(const float* in, float* out, std::uint64_t first, std::uint64_t count,
                               const DropoutMask& mask);

/// The kernel built for `set`; null where this program has none or this processor cannot run it.
DropoutKernel dropout_kernel(InstructionSet set);
/// The kernel for the best instruction set of this processor.
DropoutKernel dropout_kernel();

}  // namespace gloss::kernels
