#pragma once

#include <c10/core/Device.h>

namespace gloss {

/// Returns whether the device is a GPU, or another accelerator that LibTorch knows: it has memory of its own and
/// computes while the host goes on.
bool is_accelerator(at::Device device);

/// Returns the number of accelerators that LibTorch can use.
int accelerators();

/// Returns whether the device multiplies in bfloat16: on CUDA from compute capability 8.0. Older cards convert each
/// number, which is slower than float32.
bool has_bfloat16(at::Device device);

/// Waits until the device has done all its work; returns at once for the CPU.
void wait_for_device(at::Device device);

}  // namespace gloss
