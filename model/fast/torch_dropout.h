#pragma once

#include <ATen/core/Tensor.h>

#include "common/random.h"

namespace gloss {

/// Seeds LibTorch's generator of `device` with a hash of the stream's key, update and shard. The numbers of the
/// next operation are a function of these on that kind of device. Does not wait for the device.
void seed_torch_generator(at::Device device, const RandomStream& stream);

/// Computes LibTorch's dropout, seeded from `stream`. Meant for GPUs, on which `plain_dropout` takes a hundred passes
/// over memory. It drops other elements than `plain_dropout`, and the same ones in every run.
at::Tensor torch_dropout(const at::Tensor& x, double p, const RandomStream& stream);

}  // namespace gloss
