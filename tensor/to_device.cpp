#include "tensor/to_device.h"

#include <ATen/ops/tensor.h>

namespace gloss {

at::Tensor to_device(const at::Tensor& tensor, at::Device device) {
  return device.is_cpu() ? tensor : tensor.pin_memory().to(device, /*non_blocking=*/true);
}

at::Tensor to_device(const std::vector<std::int64_t>& values, at::Device device) {
  return to_device(at::tensor(values, at::kLong), device);
}

}  // namespace gloss
