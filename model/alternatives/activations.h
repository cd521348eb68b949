#pragma once

#include <ATen/core/Tensor.h>

#include "model/model_config.h"

namespace gloss {

/// Returns whether the feed-forward network has a gate: glu and swiglu (Shazeer 2020).
bool has_gate(Activation activation);

/// Computes the activation of each element; Phi is the normal distribution, sigma the logistic function:
///
///     relu            max(0, x)
///     gelu            x Phi(x)      (Hendrycks and Gimpel 2016, exact)
///     gelu_sigmoid    x sigma(1.702 x)   (Hendrycks and Gimpel 2016, section 2, approximate; Marian's gelu)
///     swish, swiglu   x sigma(x)    (Ramachandran et al. 2017, beta 1)
///     glu             sigma(x)      (Dauphin et al. 2017)
at::Tensor activate(const at::Tensor& x, Activation activation);

}  // namespace gloss
