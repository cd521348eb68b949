#pragma once

#include <c10/core/Device.h>

#include "training/training_config.h"

namespace gloss {

/// Throws UsageError if `device` cannot train with `precision`: a processor without bfloat16 products, or any processor
/// in plain passes, since these products are not operators of LibTorch.
void expect_precision(Precision precision, at::Device device, bool plain);

}  // namespace gloss
