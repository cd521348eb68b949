#include "kernels/kernel_table.h"

#include <cstddef>
#include <cstdlib>

#include "common/error.h"

namespace gloss::kernels {

namespace generic {
extern const KernelTable table;
}
#if defined(__x86_64__)
namespace avx2 {
extern const KernelTable table;
}
namespace avx512 {
extern const KernelTable table;
}
namespace avx512_vnni {
extern const KernelTable table;
}
namespace avx512_bf16 {
extern const KernelTable table;
}
#endif

bool is_supported(InstructionSet set) {
  switch (set) {
    case InstructionSet::kGeneric:
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

std::string name_of(InstructionSet set) {
  constexpr std::array kNames{"generic", "avx2", "avx512", "avx512_vnni", "avx512_bf16"};
  static_assert(kNames.size() == kInstructionSets.size());
  return kNames[static_cast<std::size_t>(set)];
}

InstructionSet choose_instruction_set(const std::string& name) {
  auto best = InstructionSet::kGeneric;
  std::string names;
  for (const auto set : kInstructionSets) {
    if (!is_supported(set)) continue;
    if (name == name_of(set)) return set;
    best = set;
    names += (names.empty() ? "" : ", ") + name_of(set);
  }
  if (!name.empty())
    throw UsageError("GLOSS_KERNELS: wanted an instruction set of this processor (" + names + "), got \"" + name +
                     "\"; set one of these, or unset the variable");
  return best;
}

InstructionSet active_instruction_set() {
  static const auto set = [] {
    const char* const name = std::getenv("GLOSS_KERNELS");
    return choose_instruction_set(name == nullptr ? "" : name);
  }();
  return set;
}

const KernelTable* kernel_table(InstructionSet set) {
  if (!is_supported(set)) return nullptr;
  switch (set) {
    case InstructionSet::kGeneric:
      return &generic::table;
#if defined(__x86_64__)
    case InstructionSet::kAvx2:
      return &avx2::table;
    case InstructionSet::kAvx512:
      return &avx512::table;
    case InstructionSet::kAvx512Vnni:
      return &avx512_vnni::table;
    case InstructionSet::kAvx512Bf16:
      return &avx512_bf16::table;
#endif
    default:
      return nullptr;
  }
}

const KernelTable& kernel_table() {
  static const KernelTable& table = *kernel_table(active_instruction_set());
  return table;
}

}  // namespace gloss::kernels
