#pragma once

#include <cstdint>

namespace gloss::kernels {

/// Losses of one row.
struct RowLoss {
  double nll = 0;       ///< -log softmax(x)[target]
  double smoothed = 0;  ///< cross-entropy with the smoothed distribution
};

/// Computes the label-smoothed cross-entropy of one row. The scores are x = logits + bias. The smoothed distribution
/// assigns epsilon / V to each of the V tokens and 1 - epsilon more to `target`. If `bias_gradient` is not null,
/// `logits` becomes the gradient of the smoothed loss with respect to x, which is also added to bias_gradient [V];
/// otherwise the content of `logits` is undefined afterwards.
using SoftmaxLossKernel = RowLoss(float* logits, const float* bias, std::int64_t V, std::int64_t target, float epsilon,
                                  float* bias_gradient);

}  // namespace gloss::kernels
