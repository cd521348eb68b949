#include "tensor/accelerator.h"

#include <ATen/DeviceAccelerator.h>

namespace gloss {

bool is_accelerator(at::Device device) { return at::isAccelerator(device.type()); }

int accelerators() { return at::accelerator::deviceCount(); }

void wait_for_device(at::Device device) {
  if (is_accelerator(device))
    at::accelerator::synchronizeDevice(device.has_index() ? device.index() : at::accelerator::getDeviceIndex());
}

}  // namespace gloss
