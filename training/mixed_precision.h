#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include "training/training_config.h"

namespace gloss {

/// Throws UsageError if `device` cannot train with `precision`: a processor or a GPU without bfloat16 products, or any
/// processor in plain passes, since these products are not operators of LibTorch.
void expect_precision(Precision precision, at::Device device, bool plain);

/// While an object lives, the products of this thread on a GPU have factors in bfloat16, by LibTorch's
/// autocast; weights stay float32. Does nothing unless it is `on`, and on the CPU, where bfloat16 means
/// Bfloat16Products (model/fast/matrix_product.h).
class Autocast {
 public:
  Autocast(bool on, at::Device device);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool on_;
  at::DeviceType type_;
};

/// Returns the type of the factors of a product with `weight`: autocast's on that device, or the weight's own.
at::ScalarType factor_type(const at::Tensor& weight);

}  // namespace gloss
