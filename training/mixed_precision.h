#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include "training/training_config.h"

namespace gloss {

/// Throws UsageError where `device` cannot train with `precision`: a processor without products of bfloat16.
void expect_precision(Precision precision, at::Device device);

/// While it lives, the forward passes of this thread run on a CUDA device with `precision`, LibTorch's autocast
/// choosing for each operation; weights stay float32. Does nothing on the CPU, where Bfloat16Products
/// (model/fast/matrix_product.h) is what bfloat16 comes to.
class Autocast {
 public:
  Autocast(Precision precision, at::Device device);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool on_;
};

/// Of which type the factors of a product with `weight` are now: autocast's on that device, or its own.
at::ScalarType factor_type(const at::Tensor& weight);

}  // namespace gloss
