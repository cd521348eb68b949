#pragma once

namespace gloss::kernels {

/// What kernels are built for, each once. The choice is made at start, by the processor.
enum class InstructionSet {
  kPlain,
  kAvx2,
  kAvx512,
  kAvx512LowPrecision,  ///< with the products of int8 (VNNI) and bfloat16 (BF16)
};

/// Whether this processor and its operating system run the set.
bool is_supported(InstructionSet set);

}  // namespace gloss::kernels
