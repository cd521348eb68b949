#pragma once

#include <string_view>

#include <torch/csrc/autograd/custom_function.h>

#include "common/random.h"
#include "kernels/dropout_kernel.h"
#include "model/pass.h"

namespace gloss {

/// The stream `site` of a training pass. Throws Error, a fault of the caller, where the pass has none.
RandomStream dropout_stream(const Pass& pass, std::string_view site);

/// What a dropout of probability p, 0 <= p < 1, drops by `stream`.
kernels::DropoutMask dropout_mask(double p, const RandomStream& stream);
/// The same by `dropout_stream`.
kernels::DropoutMask dropout_mask(double p, const Pass& pass, std::string_view site);

/// Puts a mask's few numbers by for the backward pass, which makes the mask again.
void keep(torch::autograd::AutogradContext& context, const kernels::DropoutMask& mask);
kernels::DropoutMask kept_mask(torch::autograd::AutogradContext& context);

}  // namespace gloss
