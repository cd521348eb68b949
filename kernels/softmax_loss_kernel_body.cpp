// Compiled once for each instruction set (kernel_table.h). A row of logits stays in the cache, so that passes are
// cheap.
#include "kernels/kernel_bodies.h"
#include "kernels/vectors.h"

namespace gloss::kernels::GLOSS_INSTRUCTION_SET {

RowLoss softmax_loss(float* logits, const float* bias, std::int64_t V, std::int64_t wanted, float epsilon,
                     float* bias_gradient) {
  const std::int64_t whole = V / kFloats * kFloats;

  Floats most = spread(-__builtin_inff()), sums = spread(0);
  for (std::int64_t j = 0; j < whole; j += kFloats) {
    const Floats x = load(logits + j) + load(bias + j);
    store(logits + j, x);
    most = max_of(most, x);
    sums += x;
  }
  float highest = max_of(most);
  double total = sum_of(sums);
  for (std::int64_t j = whole; j < V; ++j) {
    logits[j] += bias[j];
    highest = highest > logits[j] ? highest : logits[j];
    total += logits[j];
  }
  const double at_wanted = logits[wanted];

  Floats parts = spread(0);
  for (std::int64_t j = 0; j < whole; j += kFloats) {
    const Floats e = exp_of_negative(load(logits + j) - highest);
    store(logits + j, e);
    parts += e;
  }
  double normalizer = sum_of(parts);
  for (std::int64_t j = whole; j < V; ++j) {
    logits[j] = exp_of_negative(spread(logits[j] - highest))[0];
    normalizer += logits[j];
  }

  const double log_normalizer = highest + __builtin_log(normalizer);
  RowLoss loss;
  loss.nll = log_normalizer - at_wanted;
  loss.smoothed = (1 - epsilon) * loss.nll + epsilon * (log_normalizer - total / static_cast<double>(V));
  if (bias_gradient == nullptr) return loss;

  const auto scale = static_cast<float>(1 / normalizer);
  const float everywhere = epsilon / static_cast<float>(V);
  const float before = bias_gradient[wanted];
  for (std::int64_t j = 0; j < whole; j += kFloats) {
    const Floats gradient = load(logits + j) * scale - everywhere;
    store(logits + j, gradient);
    store(bias_gradient + j, load(bias_gradient + j) + gradient);
  }
  for (std::int64_t j = whole; j < V; ++j) {
    logits[j] = logits[j] * scale - everywhere;
    bias_gradient[j] += logits[j];
  }
  logits[wanted] -= 1 - epsilon;
  bias_gradient[wanted] = before + logits[wanted];
  return loss;
}

}  // namespace gloss::kernels::GLOSS_INSTRUCTION_SET
