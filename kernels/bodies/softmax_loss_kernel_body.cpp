// Compiled once for each instruction set (kernel_table.h). A row of logits fits into the cache, so several passes over
// it are cheap.
#include "kernels/bodies/kernel_bodies.h"
#include "kernels/bodies/vectors.h"

namespace gloss::kernels::GLOSS_INSTRUCTION_SET {

RowLoss softmax_loss(float* logits, const float* bias, std::int64_t V, std::int64_t target, float epsilon,
                     float* bias_gradient) {
  const std::int64_t whole = V / kFloats * kFloats;

  Floats maxima = broadcast(-__builtin_inff()), sums = broadcast(0);
  for (std::int64_t j = 0; j < whole; j += kFloats) {
    const Floats x = load(logits + j) + load(bias + j);
    store(logits + j, x);
    maxima = max_of(maxima, x);
    sums += x;
  }
  float max_logit = max_of(maxima);
  double total = sum_of(sums);
  for (std::int64_t j = whole; j < V; ++j) {
    logits[j] += bias[j];
    max_logit = max_logit > logits[j] ? max_logit : logits[j];
    total += logits[j];
  }
  const double at_target = logits[target];

  Floats parts = broadcast(0);
  for (std::int64_t j = 0; j < whole; j += kFloats) {
    const Floats e = exp_of_negative(load(logits + j) - max_logit);
    store(logits + j, e);
    parts += e;
  }
  double normalizer = sum_of(parts);
  for (std::int64_t j = whole; j < V; ++j) {
    logits[j] = exp_of_negative(broadcast(logits[j] - max_logit))[0];
    normalizer += logits[j];
  }

  const double log_normalizer = max_logit + __builtin_log(normalizer);
  RowLoss loss;
  loss.nll = log_normalizer - at_target;
  loss.smoothed = (1 - epsilon) * loss.nll + epsilon * (log_normalizer - total / static_cast<double>(V));
  if (bias_gradient == nullptr) return loss;

  const auto scale = static_cast<float>(1 / normalizer);
  const float smoothing = epsilon / static_cast<float>(V);
  const float before = bias_gradient[target];
  for (std::int64_t j = 0; j < whole; j += kFloats) {
    const Floats gradient = load(logits + j) * scale - smoothing;
    store(logits + j, gradient);
    store(bias_gradient + j, load(bias_gradient + j) + gradient);
  }
  for (std::int64_t j = whole; j < V; ++j) {
    logits[j] = logits[j] * scale - smoothing;
    bias_gradient[j] += logits[j];
  }
  logits[target] -= 1 - epsilon;
  bias_gradient[target] = before + logits[target];
  return loss;
}

}  // namespace gloss::kernels::GLOSS_INSTRUCTION_SET
