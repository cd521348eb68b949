#include "training/update.h"

#include <cmath>
#include <utility>

#include <ATen/Functions.h>

#include "tensor/out_of_memory.h"
#include "training/shard_passes.h"

namespace gloss {
namespace {

// Returns the sums over all shards of all processes.
ShardSums sum_of_batches(ShardPasses& passes, GradientExchange* gradient_exchange) {
  const auto count = passes.shards();
  ShardSums sum;
  for (std::int64_t batch = 0; batch < passes.batches(); ++batch) {
    if (gradient_exchange != nullptr)
      sum.add(gradient_exchange->sum(count, passes.sums(batch, gradient_exchange->nodes(count))));
    else
      sum.add(std::move(passes.sums(batch, {{0, count}}).front()));
  }
  return sum;
}

/// The sums over all shards, and the norm of their gradients, a float64 scalar.
struct SumsWithNorm {
  ShardSums sum;
  at::Tensor norm;
};

// Sets the gradients of `adam`, and the seconds of `result`.
SumsWithNorm sums_with_norm(ShardPasses& passes, Adam& adam, GradientExchange* gradient_exchange,
                            UpdateResult& result) {
  while (true) {
    try {
      Lap lap;
      ShardSums sum = sum_of_batches(passes, gradient_exchange);
      auto norm = adam.set_gradients(std::move(sum.gradients));
      result.seconds = passes.seconds();
      result.seconds.optimizer += lap() - result.seconds.forward - result.seconds.backward;
      return {std::move(sum), std::move(norm)};
    } catch (const OutOfMemoryError&) {
      throw;
    } catch (...) {
      // The other processes wait in the exchange.
      if (gradient_exchange != nullptr || !is_out_of_memory()) throw;
    }
    adam.clear_gradients();
    passes.retry_after_norm();
  }
}

// Takes Adam's step without knowing the numbers: the device computes what the host would decide by them.
void step_on_device(Adam& adam, Adam::Update update, const SumsWithNorm& sums, double clip_norm) {
  const at::NoGradGuard no_grad;
  const auto norm = sums.norm * update.gradient_factor;
  update.factor_on_device = clip_factor(norm, clip_norm) * update.gradient_factor;
  update.skip_on_device = at::isfinite(sums.sum.nll + sums.norm).logical_not().to(at::kFloat);
  adam.step(update);
}

}  // namespace

UpdateResult update_weights(EncoderDecoder& model, Adam& adam, Workers& workers, std::span<const Batch> batches,
                            const RandomStream& dropout, const UpdateOptions& options,
                            GradientExchange* gradient_exchange) {
  UpdateResult result;
  ShardPasses passes(model, adam.trained(), workers, batches, dropout, options,
                     gradient_exchange != nullptr ? gradient_exchange->exchange().size() : 1);
  const auto sums = sums_with_norm(passes, adam, gradient_exchange, result);
  const auto& sum = sums.sum;
  Lap lap;
  const double per_token = 1.0 / static_cast<double>(sum.tokens);
  Adam::Update update{.step = options.step, .learning_rate = options.learning_rate, .gradient_factor = per_token};
  // Whatever takes memory comes before the step: an update that fails leaves the weights unchanged.
  const auto there = at::stack({sum.nll, sums.norm});  // [2]
  if (adam.decides_on_device()) {
    step_on_device(adam, update, sums, options.clip_norm);
    if (options.meanwhile) options.meanwhile();
  }
  const auto numbers = there.cpu();
  result.tokens = sum.tokens;
  result.nll_sum = numbers.const_data_ptr<double>()[0];
  result.gradient_norm = numbers.const_data_ptr<double>()[1] * per_token;
  result.applied = std::isfinite(result.nll_sum) && std::isfinite(result.gradient_norm);
  if (!adam.decides_on_device()) {
    update.gradient_factor *= clip_factor(result.gradient_norm, options.clip_norm);
    if (result.applied)
      adam.step(update);
    else
      adam.clear_gradients();
  }
  if (result.applied) sum.statistics.update_running();
  result.seconds.optimizer += lap();
  return result;
}

}  // namespace gloss
