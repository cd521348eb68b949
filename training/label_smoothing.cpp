#include "training/label_smoothing.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "common/error.h"
#include "common/special_ids.h"

namespace gloss {

LossSums label_smoothed_loss(const at::Tensor& log_probabilities, const at::Tensor& targets, double epsilon) {
  if (log_probabilities.dim() != 2)
    throw ShapeError("log_probabilities: wanted [N, V], got " + std::to_string(log_probabilities.dim()) +
                     " dimensions");
  const auto N = log_probabilities.size(0), V = log_probabilities.size(1);
  if (targets.dim() != 1 || targets.size(0) != N)
    throw ShapeError("targets: wanted [" + std::to_string(N) + "], got " + std::to_string(targets.numel()) +
                     " ids in " + std::to_string(targets.dim()) + " dimensions");

  const auto is_pad = targets.eq(kPad);  // [N]
  const auto nll = at::nll_loss(log_probabilities, targets, {}, at::Reduction::Sum, kPad);
  LossSums loss{nll, nll.detach()};
  if (epsilon > 0) {
    const auto every_token = -log_probabilities.sum(1).masked_fill(is_pad, 0).sum();  // uniform part of the target
                                                                                      // distribution
    loss.smoothed_sum = (1 - epsilon) * nll + epsilon / static_cast<double>(V) * every_token;
  }
  return loss;
}

}  // namespace gloss
