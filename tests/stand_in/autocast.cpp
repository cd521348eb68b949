#include <ATen/autocast_mode.h>
#include <torch/library.h>

#include "tests/stand_in/registration.h"

namespace gloss::stand_in {

void register_autocast() {
  using namespace at;  // as LibTorch's macros expect
  static torch::Library others(torch::Library::IMPL, "_", c10::DispatchKey::AutocastPrivateUse1, __FILE__, __LINE__);
  others.fallback(torch::CppFunction::makeFallthrough());

  // The operators that LibTorch lists for each device; its macros expect the name m, too.
  static torch::Library m(torch::Library::IMPL, "aten", c10::DispatchKey::AutocastPrivateUse1, __FILE__, __LINE__);
#define GLOSS_LOWER_PRECISION(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, lower_precision_fp)
  AT_FORALL_LOWER_PRECISION_FP(GLOSS_LOWER_PRECISION)
#define GLOSS_FLOAT(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32)
  AT_FORALL_FP32(GLOSS_FLOAT)
#define GLOSS_FLOAT_UNLESS_GIVEN(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32_set_opt_dtype)
  AT_FORALL_FP32_SET_OPT_DTYPE(GLOSS_FLOAT_UNLESS_GIVEN)
  AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE(KERNEL_DIFFERENT_REDISPATCH_SIGNATURE_PRIVATEUSEONE)
#define GLOSS_PROMOTE(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, promote)
  AT_FORALL_PROMOTE(GLOSS_PROMOTE)
}

}  // namespace gloss::stand_in
