#pragma once

#include <ATen/core/Tensor.h>

#include "common/random.h"

namespace gloss {

/// Seeds LibTorch's generator of `device` with a hash of the stream's key, update and micro-batch: what one operation
/// of LibTorch draws next is a function of these, on that kind of device. Does not wait for the device.
void seed_torch_generator(at::Device device, const RandomStream& stream);

/// Dropout of LibTorch, drawn from `stream`. Made for GPUs, where Philox by plain operations takes a hundred passes
/// over memory. Other elements are dropped than by `plain_dropout`; like there, it is the same ones at every run.
at::Tensor torch_dropout(const at::Tensor& x, double p, const RandomStream& stream);

}  // namespace gloss
