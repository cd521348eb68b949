#include "tensor/accelerator.h"

#include <ATen/Context.h>
#include <ATen/DeviceAccelerator.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/DeviceGuard.h>

namespace gloss {

bool is_accelerator(at::Device device) { return at::isAccelerator(device.type()); }

int accelerators() { return at::accelerator::deviceCount(); }

bool has_bfloat16(at::Device device) {
  if (!device.is_cuda() || !at::hasCUDA()) return true;
  // The only question about the compute capability that LibTorch answers without CUDA's headers.
  const c10::DeviceGuard guard(device);
  return at::detail::getCUDAHooks().supportsBFloat16ConvolutionWithCuDNNv8();
}

void wait_for_device(at::Device device) {
  if (is_accelerator(device))
    at::accelerator::synchronizeDevice(device.has_index() ? device.index() : at::accelerator::getDeviceIndex());
}

}  // namespace gloss
