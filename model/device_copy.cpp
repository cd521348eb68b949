#include "model/device_copy.h"

#include <ATen/ops/tensor.h>

namespace gloss {

at::Tensor copy_to(const at::Tensor& tensor, at::Device device) {
  return device.is_cpu() ? tensor : tensor.pin_memory().to(device, /*non_blocking=*/true);
}

at::Tensor copy_to(const std::vector<std::int64_t>& values, at::Device device) {
  return copy_to(at::tensor(values, at::kLong), device);
}

}  // namespace gloss
