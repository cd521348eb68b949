#include "kernels/instruction_set.h"

namespace gloss::kernels {

bool is_supported(InstructionSet set) {
  switch (set) {
    case InstructionSet::kPlain:
      return true;
#if defined(__x86_64__)
    case InstructionSet::kAvx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case InstructionSet::kAvx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    case InstructionSet::kAvx512Vnni:
      return is_supported(InstructionSet::kAvx512) && __builtin_cpu_supports("avx512vnni");
    case InstructionSet::kAvx512Bf16:
      return is_supported(InstructionSet::kAvx512Vnni) && __builtin_cpu_supports("avx512bf16");
#endif
    default:
      return false;
  }
}

}  // namespace gloss::kernels
