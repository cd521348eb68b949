#pragma once

#include <string_view>

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/custom_function.h>

#include "common/random.h"
#include "kernels/dropout_kernel.h"
#include "model/pass.h"

namespace gloss {

/// Returns the elements that a dropout of probability p, 0 <= p < 1, drops at `site` of a training pass.
kernels::DropoutMask dropout_mask(double p, const Pass& pass, std::string_view site);

/// Saves a mask's few numbers for the backward pass, which computes the mask again.
void keep(torch::autograd::AutogradContext& context, const kernels::DropoutMask& mask);
kernels::DropoutMask kept_mask(torch::autograd::AutogradContext& context);

/// Computes `plain_dropout` (model/dropout.h) by a kernel, float32 on the CPU: the same elements, bit for bit. No mask
/// is stored; the backward pass computes it again.
at::Tensor kernel_dropout(const at::Tensor& x, const kernels::DropoutMask& mask);

/// Computes residual + kernel_dropout(x) in one pass over memory; both have the same shape.
at::Tensor kernel_dropout_and_add(const at::Tensor& residual, const at::Tensor& x, const kernels::DropoutMask& mask);

/// Seeds LibTorch's generator of `device` with a hash of the stream's key, update and shard. The numbers of the
/// next operation are a function of these on that kind of device. Does not wait for the device.
void seed_torch_generator(at::Device device, const RandomStream& stream);

/// Computes LibTorch's dropout, seeded from `stream`. Meant for GPUs, on which `plain_dropout` takes a hundred passes
/// over memory. It drops other elements than `plain_dropout`, and the same ones in every run.
at::Tensor torch_dropout(const at::Tensor& x, double p, const RandomStream& stream);

}  // namespace gloss
