#pragma once

#include <c10/core/Device.h>

namespace gloss {

/// Returns whether the device is a GPU, or another accelerator that LibTorch knows: it has memory of its own and
/// computes while the host goes on.
bool is_accelerator(at::Device device);

/// Returns the number of accelerators that LibTorch can use.
int accelerators();

/// Waits until the device has done all its work; returns at once for the CPU.
void wait_for_device(at::Device device);

}  // namespace gloss
