#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "model/batch_statistics.h"

namespace gloss {

/// Sums of a loss over the rows that count. On a GPU they are computed asynchronously.
struct LossSums {
  at::Tensor smoothed_sum;  ///< scalar that is minimized; has a gradient
  at::Tensor nll_sum;       ///< scalar, negative log-likelihood without smoothing; no gradient
};

/// Sums of a loss and the number of its tokens, not yet divided: update_weights divides the gradients.
struct Loss : LossSums {
  std::int64_t tokens = 0;
  BatchStatistics statistics = {};  ///< of a training pass
};

/// Computes the label-smoothed loss (Szegedy et al. 2016; section 5.4), equal to torch's cross_entropy. The target
/// distribution has 1 - epsilon on the target token and epsilon / V more on each of the V tokens. log_probabilities
/// [N, V], targets [N] int64; rows with the target pad do not count. This is the definition that `output_loss` must
/// match, forward and gradient.
LossSums label_smoothed_loss(const at::Tensor& log_probabilities, const at::Tensor& targets, double epsilon);

}  // namespace gloss
