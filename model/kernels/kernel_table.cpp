#include "model/kernels/kernel_table.h"

#include <initializer_list>

namespace gloss::kernels {

namespace plain {
extern const KernelTable table;
}
#if defined(__x86_64__)
namespace avx2 {
extern const KernelTable table;
}
namespace avx512 {
extern const KernelTable table;
}
namespace avx512_low_precision {
extern const KernelTable table;
}
#endif

const KernelTable* kernel_table(InstructionSet set) {
  if (!is_supported(set)) return nullptr;
  switch (set) {
    case InstructionSet::kPlain:
      return &plain::table;
#if defined(__x86_64__)
    case InstructionSet::kAvx2:
      return &avx2::table;
    case InstructionSet::kAvx512:
      return &avx512::table;
    case InstructionSet::kAvx512LowPrecision:
      return &avx512_low_precision::table;
#endif
    default:
      return nullptr;
  }
}

const KernelTable& kernel_table() {
  static const KernelTable& best = []() -> const KernelTable& {
    for (const auto set : {InstructionSet::kAvx512LowPrecision, InstructionSet::kAvx512, InstructionSet::kAvx2}) {
      if (const auto* table = kernel_table(set)) return *table;
    }
    return *kernel_table(InstructionSet::kPlain);
  }();
  return best;
}

}  // namespace gloss::kernels
