#pragma once

#include <cstdint>

namespace gloss::kernels {

/// Losses of one row.
struct RowLoss {
  double nll = 0;       ///< -log softmax(x)[wanted]
  double smoothed = 0;  ///< against the smoothed distribution
};

/// Label-smoothed cross-entropy of one row: the scores are x = logits + bias, the wanted distribution has 1 - epsilon
/// on `wanted` and epsilon / V more on each of the V tokens. Where `bias_gradient` is not null, `logits` becomes the
/// gradient of the smoothed loss in x, and that is added to bias_gradient [V]; else the content of `logits` is lost.
using SoftmaxLossKernel = RowLoss(float* logits, const float* bias, std::int64_t V, std::int64_t wanted, float epsilon,
                                  float* bias_gradient);

}  // namespace gloss::kernels
