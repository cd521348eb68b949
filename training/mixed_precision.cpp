#include "training/mixed_precision.h"

#include "common/error.h"
#include "model/fast/matrix_product.h"

namespace gloss {

void expect_precision(Precision precision, at::Device device, bool plain) {
  if (plain && precision == Precision::kBfloat16 && device.is_cpu())
    throw UsageError("training.precision: wanted float32 beside --plain on the CPU, got bfloat16");
  if (precision == Precision::kBfloat16 && device.is_cpu() && !has_bfloat16_products())
    throw UsageError(
        "training.precision: wanted float32 on this processor, which has no products of bfloat16 (AVX512_BF16), got "
        "bfloat16");
}

}  // namespace gloss
