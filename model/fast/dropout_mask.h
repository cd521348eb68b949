#pragma once

#include <string_view>

#include <torch/csrc/autograd/custom_function.h>

#include "kernels/dropout_kernel.h"
#include "model/pass.h"

namespace gloss {

/// Returns the elements that a dropout of probability p, 0 <= p < 1, drops at `site` of a training pass.
kernels::DropoutMask dropout_mask(double p, const Pass& pass, std::string_view site);

/// Saves a mask's few numbers for the backward pass, which computes the mask again.
void keep(torch::autograd::AutogradContext& context, const kernels::DropoutMask& mask);
kernels::DropoutMask kept_mask(torch::autograd::AutogradContext& context);

}  // namespace gloss
