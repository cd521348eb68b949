#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

namespace gloss {

/// Sums of a loss over the rows that count; on a device nobody has waited for them.
struct LossSums {
  at::Tensor smoothed_sum;  ///< scalar, what is minimized; has a gradient
  at::Tensor nll_sum;       ///< scalar, plain negative log-likelihood, smoothing left out; no gradient
};

/// A loss on its way: sums and their tokens, divided only where they are used or printed.
struct Loss : LossSums {
  std::int64_t tokens = 0;
};

/// Label smoothing (Szegedy et al. 2016; section 5.4) as torch's cross_entropy: the wanted distribution has 1 - epsilon
/// on the right token and epsilon / V more on every one. log_probabilities [N, V], wanted [N] int64; rows that want pad
/// do not count. The definition: `output_loss` must agree with it, forward and gradient.
LossSums label_smoothed_loss(const at::Tensor& log_probabilities, const at::Tensor& wanted, double epsilon);

}  // namespace gloss
