#pragma once

#include <array>
#include <string>

namespace gloss::kernels {

/// An instruction set that the kernels are compiled for. Each includes those before it.
enum class InstructionSet {
  kGeneric,     ///< the compiler's default for the architecture
  kAvx2,        ///< and FMA
  kAvx512,      ///< F, BW, DQ and VL
  kAvx512Vnni,  ///< and products of int8
  kAvx512Bf16,  ///< and products of bfloat16
};

inline constexpr std::array kInstructionSets{InstructionSet::kGeneric, InstructionSet::kAvx2, InstructionSet::kAvx512,
                                             InstructionSet::kAvx512Vnni, InstructionSet::kAvx512Bf16};

/// Returns whether this processor and its operating system can run the set.
bool is_supported(InstructionSet set);

/// Returns the set's name: "generic", "avx2", "avx512", "avx512_vnni" or "avx512_bf16".
std::string name_of(InstructionSet set);

/// Returns the set called `name`, or the best supported set if `name` is empty. Throws UsageError, which lists the
/// supported sets, if no set has this name or the processor lacks the set.
InstructionSet choose_instruction_set(const std::string& name);

/// Returns the set that kernel_table() uses: the one named by the environment variable GLOSS_KERNELS, otherwise the
/// best supported one. The variable is read once. Throws as choose_instruction_set does.
///
///     GLOSS_KERNELS=avx2 gloss translate --model model.safetensors
InstructionSet active_instruction_set();

}  // namespace gloss::kernels
