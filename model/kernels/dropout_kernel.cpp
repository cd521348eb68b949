#include "model/kernels/dropout_kernel.h"

#include <initializer_list>

namespace gloss::kernels {

// The same source (dropout_kernel_body.cpp), compiled once for each instruction set.
namespace plain {
void dropout(const float* in, float* out, std::uint64_t first, std::uint64_t count, const DropoutMask& mask);
}
#if defined(__x86_64__)
namespace avx2 {
void dropout(const float* in, float* out, std::uint64_t first, std::uint64_t count, const DropoutMask& mask);
}
namespace avx512 {
void dropout(const float* in, float* out, std::uint64_t first, std::uint64_t count, const DropoutMask& mask);
}
#endif

DropoutKernel dropout_kernel(InstructionSet set) {
  if (!is_supported(set)) return nullptr;
  switch (set) {
    case InstructionSet::kPlain:
      return plain::dropout;
#if defined(__x86_64__)
    case InstructionSet::kAvx2:
      return avx2::dropout;
    case InstructionSet::kAvx512:
      return avx512::dropout;
#endif
    default:
      return nullptr;
  }
}

DropoutKernel dropout_kernel() {
  static const DropoutKernel best = [] {
    for (const auto set : {InstructionSet::kAvx512, InstructionSet::kAvx2}) {
      if (const auto kernel = dropout_kernel(set)) return kernel;
    }
    return dropout_kernel(InstructionSet::kPlain);
  }();
  return best;
}

}  // namespace gloss::kernels
