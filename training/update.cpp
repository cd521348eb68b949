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

// Returns the sums over all shards. Sets the gradients of `adam`, and loss, norm and seconds of `result`.
ShardSums sums_with_norm(ShardPasses& passes, Adam& adam, GradientExchange* gradient_exchange, UpdateResult& result) {
  while (true) {
    try {
      Lap lap;
      ShardSums sum = sum_of_batches(passes, gradient_exchange);
      const auto norm = adam.set_gradients(std::move(sum.gradients));
      const auto numbers = at::stack({sum.nll, norm}).cpu();  // [2]
      result.nll_sum = numbers.const_data_ptr<double>()[0];
      result.gradient_norm = numbers.const_data_ptr<double>()[1];
      result.seconds = passes.seconds();
      result.seconds.optimizer += lap() - result.seconds.forward - result.seconds.backward;
      return sum;
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

}  // namespace

UpdateResult update_weights(EncoderDecoder& model, Adam& adam, Workers& workers, std::span<const Batch> batches,
                            const RandomStream& dropout, const UpdateOptions& options,
                            GradientExchange* gradient_exchange) {
  UpdateResult result;
  ShardPasses passes(model, adam.trained(), workers, batches, dropout, options,
                     gradient_exchange != nullptr ? gradient_exchange->exchange().size() : 1);
  const ShardSums sum = sums_with_norm(passes, adam, gradient_exchange, result);
  Lap lap;
  const double per_token = 1.0 / static_cast<double>(sum.tokens);
  result.tokens = sum.tokens;
  result.gradient_norm *= per_token;
  result.applied = std::isfinite(result.nll_sum) && std::isfinite(result.gradient_norm);
  if (result.applied) {
    adam.step({.step = options.step,
               .learning_rate = options.learning_rate,
               .gradient_factor = per_token * clip_factor(result.gradient_norm, options.clip_norm)});
    sum.statistics.update_running();
  } else {
    adam.clear_gradients();
  }
  result.seconds.optimizer += lap();
  return result;
}

}  // namespace gloss
