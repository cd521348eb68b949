#pragma once

#include <array>

namespace gloss::kernels {

/// What kernels are built for, each once. The choice is made at start, by the processor: the last that it has.
enum class InstructionSet {
  kPlain,
  kAvx2,
  kAvx512,
  kAvx512Vnni,  ///< with products of int8
  kAvx512Bf16,  ///< with those and products of bfloat16
};

inline constexpr std::array kInstructionSets{InstructionSet::kPlain, InstructionSet::kAvx2, InstructionSet::kAvx512,
                                             InstructionSet::kAvx512Vnni, InstructionSet::kAvx512Bf16};

/// Whether this processor and its operating system run the set.
bool is_supported(InstructionSet set);

}  // namespace gloss::kernels
