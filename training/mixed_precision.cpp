#include "training/mixed_precision.h"

#include <ATen/autocast_mode.h>

#include "common/error.h"
#include "model/fast/matrix_product.h"
#include "tensor/accelerator.h"

namespace gloss {

void expect_precision(Precision precision, at::Device device, bool plain) {
  if (plain && precision == Precision::kBfloat16 && device.is_cpu())
    throw UsageError("training.precision: wanted float32 beside --plain on the CPU, got bfloat16");
  if (precision == Precision::kBfloat16 && device.is_cpu() && !has_bfloat16_products())
    throw UsageError(
        "training.precision: wanted float32 on this processor, which has no products of bfloat16 (AVX512_BF16), got "
        "bfloat16");
  if (precision == Precision::kBfloat16 && !has_bfloat16(device))
    throw UsageError("training.precision: wanted float32 on the device " + device.str() +
                     ", whose compute capability is below 8.0, got bfloat16");
}

Autocast::Autocast(bool on, at::Device device) : on_(on && is_accelerator(device)), type_(device.type()) {
  if (!on_) return;
  at::autocast::increment_nesting();
  at::autocast::set_autocast_dtype(type_, at::kBFloat16);
  at::autocast::set_autocast_enabled(type_, true);
}

Autocast::~Autocast() {
  if (!on_) return;
  at::autocast::set_autocast_enabled(type_, false);
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
}

at::ScalarType factor_type(const at::Tensor& weight) {
  const auto type = weight.scalar_type();
  const auto device = weight.device().type();
  return type != at::kDouble && at::autocast::is_autocast_enabled(device) ? at::autocast::get_autocast_dtype(device)
                                                                          : type;
}

}  // namespace gloss
