#include "kernels/kernel_table.h"

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
