#include "run/estimate/training_trial.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <ATen/Parallel.h>
#include <sys/resource.h>

#include "common/log/log.h"
#include "common/random.h"
#include "common/special_ids.h"
#include "common/system/machine.h"
#include "data/batch.h"
#include "model/make_model.h"
#include "tensor/out_of_memory.h"
#include "tensor/runtime.h"
#include "tensor/workers.h"
#include "training/adam.h"
#include "training/freeze.h"
#include "training/shard_passes.h"

namespace gloss {
namespace {

using Lengths = std::vector<PairLengths>;

/// Limits the memory that the process may still allocate. Beyond it an allocation fails; without a limit the system
/// could end the process.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::int64_t bytes) {
    ::getrlimit(RLIMIT_DATA, &before_);
    const auto used = size_in_proc("/proc/self/status", "VmData:").value_or(0);
    auto limit = before_;
    limit.rlim_cur = std::min(before_.rlim_cur, static_cast<rlim_t>(used + bytes));
    ::setrlimit(RLIMIT_DATA, &limit);
  }
  ~MemoryLimit() { ::setrlimit(RLIMIT_DATA, &before_); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  rlimit before_{};
};

/// Returns three batches of a run: the one with the longest sentences, three quarters of the largest, and the largest.
/// Batches of a run differ in size, and few blocks that the allocator caches fit another size.
std::array<Lengths, 3> batches_to_try(const RunConfig& config, Lengths pairs) {
  const auto tokens = config.data.batch_tokens;
  constexpr std::int64_t kUsualLength = 32;  // without a text
  if (pairs.empty())
    pairs.assign(static_cast<std::size_t>(std::max<std::int64_t>(tokens / kUsualLength, 1)),
                 {std::min(kUsualLength, tokens), std::min(kUsualLength, tokens)});
  std::vector<Lengths> batches;
  for (const auto& batch : batches_by_length(pairs, tokens)) {
    auto& lengths = batches.emplace_back();
    for (const auto pair : batch) lengths.push_back(pairs[static_cast<std::size_t>(pair)]);
  }
  const auto longest = [](const Lengths& batch) { return std::ranges::max(batch, {}, &PairLengths::longer).longer(); };
  const auto positions = [&](const Lengths& batch) { return longest(batch) * std::ssize(batch); };
  const auto& largest = *std::ranges::max_element(batches, {}, positions);
  auto smaller = largest;
  smaller.resize((3 * smaller.size() + 3) / 4);
  return {*std::ranges::max_element(batches, {}, longest), std::move(smaller), largest};
}

/// Returns a batch of random ids.
Batch random_batch(const Lengths& lengths, const RunConfig& config, const Vocabularies& vocabularies,
                   const RandomStream& random) {
  const double growth = growth_by_sampling(config);
  std::uint64_t drawn = 0;
  const auto sentence = [&](std::int64_t length, std::int64_t vocabulary) {
    length = std::min(static_cast<std::int64_t>(growth * static_cast<double>(length)), config.data.max_length);
    Ids ids;
    while (std::ssize(ids) < length - 1)
      ids.push_back(static_cast<Id>(random.below(static_cast<std::uint64_t>(vocabulary), drawn++)));
    ids.push_back(kEos);
    return ids;
  };
  Batch batch;
  for (const auto& [source, target] : lengths) {
    batch.source.push_back(sentence(source, vocabularies.source));
    batch.target.push_back(sentence(target, vocabularies.target));
  }
  return batch;
}

/// Updates random weights three times. Throws if memory runs out.
void update_thrice(const RunConfig& config, const ForeseenRun& run, Workers& workers) {
  const RandomStream random(1, "memory trial");
  auto model_config = config.model;
  model_config.max_positions = std::max(model_config.max_positions, config.data.max_length + 1);
  auto model = make_model(model_config, run.vocabularies, random);
  freeze(model, config.training.freeze);
  Adam adam(named_parameters(model), config.training, Adam::Path::kFastest, &workers);
  std::int64_t step = 0;
  for (const auto& lengths : batches_to_try(config, run.text.pairs())) {
    log_progress("measuring memory: update " + std::to_string(++step) + " of 3");
    const auto batch = random_batch(lengths, config, run.vocabularies, random.stream("ids"));
    auto sums = sum_over_shards(model, adam.trained(), workers, {&batch, 1}, random,
                                {.label_smoothing = config.training.label_smoothing,
                                 .precision = config.training.precision,
                                 .shards = config.training.shards,
                                 .plain = config.plain});
    adam.set_gradients(std::move(sums.gradients));
    adam.step({.step = step});
  }
}

}  // namespace

TrainingNeeds try_training(const RunConfig& config, const ForeseenRun& run, std::int64_t memory) {
  Workers workers(at::get_num_threads());  // before the limit, which counts the whole stacks of threads
  give_back_memory();
  std::ofstream("/proc/self/clear_refs") << 5;  // resets the count of the peak; without that it may be too high
  auto needs = training_needs(config, run);
  try {
    const MemoryLimit limit(memory);
    update_thrice(config, run, workers);
    needs.tried = true;
  } catch (...) {
    if (!is_out_of_memory()) throw;
  }
  const auto peak = size_in_proc("/proc/self/status", "VmHWM:").value_or(0);
  const auto reached = needs.tried ? peak : std::max(peak, needs.program + memory);
  needs.batches =
      std::max<std::int64_t>(reached - needs.program - needs.weights - needs.gradients - needs.optimizer, 0);
  give_back_memory();
  log_progress("");
  return needs;
}

}  // namespace gloss
