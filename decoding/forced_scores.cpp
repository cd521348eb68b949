#include "decoding/forced_scores.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>

#include "common/error.h"
#include "tensor/serial_calls.h"
#include "tensor/workers.h"

namespace gloss {
namespace {

void expect_lengths(const Scorer& scorer, std::span<const Ids> targets) {
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto length = std::ssize(targets[i]);
    if (length <= scorer.max_target_length()) continue;
    throw DataError("target " + std::to_string(i + 1) + ": wanted at most " +
                    std::to_string(scorer.max_target_length()) + " tokens, the maximum of the model, got " +
                    std::to_string(length));
  }
}

/// Pairs of sources and targets, in the order of their batches: those with tokens, the longest targets first.
struct ForcedPairs {
  std::span<const Ids> sources, targets;
  std::vector<std::size_t> order;

  ForcedPairs(const Scorer& scorer, std::span<const Ids> of_sources, std::span<const Ids> of_targets)
      : sources(of_sources), targets(of_targets) {
    if (sources.size() != targets.size())
      throw UsageError("targets: wanted one for each of " + std::to_string(sources.size()) + " sources, got " +
                       std::to_string(targets.size()));
    expect_lengths(scorer, targets);
    for (std::size_t i = 0; i < targets.size(); ++i)
      if (!targets[i].empty()) order.push_back(i);
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return targets[i].size(); });
  }
};

/// The rows of one step: row b is that of pair `pairs[b]`.
struct ForcedStep {
  Scorer::State& state;
  std::span<const std::size_t> pairs;
  std::size_t position;
  std::span<const Id> last, next;  ///< the tokens before the position and at it
};

/// Forces the targets of a batch, token by token.
void force_batch(const Scorer& scorer, const ForcedPairs& pairs, std::span<const std::size_t> batch,
                 const std::function<void()>& before_step, const std::function<void(const ForcedStep&)>& step) {
  std::vector<Ids> rows;
  for (const auto i : batch) rows.push_back(pairs.sources[i]);
  const auto state = scorer.start(pad(rows, scorer.device()));
  Ids last(batch.size(), kBos);
  for (std::size_t position = 0; !last.empty(); ++position) {
    before_step();
    Ids next;
    std::vector<std::int64_t> kept;
    for (std::size_t b = 0; b < last.size(); ++b) {
      const auto& target = pairs.targets[batch[b]];
      next.push_back(target[position]);
      if (position + 1 < target.size()) kept.push_back(static_cast<std::int64_t>(b));
    }
    step({*state, batch.first(last.size()), position, last, next});
    const bool all = kept.size() == last.size();
    last.assign(next.begin(), next.begin() + std::ssize(kept));
    if (!all && !kept.empty()) scorer.select(*state, kept, std::vector<std::int64_t>(kept.size(), 0));
  }
}

/// Forces all targets, in batches on `workers`.
void force(const Scorer& scorer, const ForcedPairs& pairs, std::int64_t batch_size,
           const std::function<void()>& before_step, std::int64_t workers,
           const std::function<void(const ForcedStep&)>& step) {
  if (batch_size < 1) throw UsageError("batch_size: wanted at least 1, got " + std::to_string(batch_size));
  const std::span order = pairs.order;
  const auto size = static_cast<std::size_t>(batch_size);
  const auto batches = static_cast<std::int64_t>((order.size() + size - 1) / size);
  SerialCalls calls;
  const auto before_each_step = [&] {
    if (before_step) calls(before_step);
  };
  const auto force_one = [&](std::int64_t batch) {
    before_each_step();
    const auto first = static_cast<std::size_t>(batch) * size;
    force_batch(scorer, pairs, order.subspan(first, std::min(size, order.size() - first)), before_each_step, step);
  };
  if (workers > 1 && batches > 1 && scorer.device().is_cpu()) {
    try {
      run_on_kept_workers(workers, batches, force_one);
    } catch (...) {
      calls.rethrow();
      throw;
    }
  } else {
    for (std::int64_t batch = 0; batch < batches; ++batch) force_one(batch);
  }
}

}  // namespace

std::vector<ForcedScore> forced_token_scores(const Scorer& scorer, std::span<const Ids> sources,
                                             std::span<const Ids> targets, std::int64_t batch_size,
                                             const std::function<void()>& before_step, std::int64_t workers,
                                             std::int64_t given_tokens) {
  const ForcedPairs pairs(scorer, sources, targets);
  std::vector<ForcedScore> result(targets.size());
  force(scorer, pairs, batch_size, before_step, workers, [&](const ForcedStep& step) {
    const auto scores = scorer.step_forced(step.state, step.last, step.next);
    for (std::size_t b = 0; b < step.pairs.size(); ++b) {
      if (!std::isfinite(scores.log_normalizers[b]))
        throw ModelError("scorer: wanted a finite log-normalizer; the weights are damaged");
      auto& score = result[step.pairs[b]];
      const bool given = std::cmp_less(step.position, given_tokens);
      const auto normalizer = given ? scores.logits[b] : scores.log_normalizers[b];
      score.tokens.push_back(scores.logits[b] - normalizer);
      score.log_probability = score.log_probability - normalizer + scores.logits[b];
    }
  });
  return result;
}

bool forced_attention(const Scorer& scorer, const AttentionSite& site, std::span<const Ids> sources,
                      std::span<const Ids> targets, std::int64_t batch_size, const TakeAttention& take,
                      const std::function<void()>& before_step, std::int64_t workers) {
  const ForcedPairs pairs(scorer, sources, targets);
  for (std::size_t i = 0; i < targets.size(); ++i)
    if (targets[i].empty()) take(i, at::empty({0, std::ssize(sources[i])}));
  std::vector<at::Tensor> weights(targets.size());
  struct NoAttention {};
  const auto take_step = [&](const ForcedStep& step) {
    const c10::InferenceMode inference;
    const auto attention = scorer.step_attention(step.state, step.last, site);  // [rows, S]
    if (!attention.defined()) throw NoAttention{};
    const auto rows = attention.to(at::kCPU, at::kFloat).contiguous();
    for (std::size_t b = 0; b < step.pairs.size(); ++b) {
      const auto pair = step.pairs[b];
      const auto T = std::ssize(targets[pair]), S = std::ssize(sources[pair]);
      if (step.position == 0) weights[pair] = at::empty({T, S}, at::kFloat);
      const auto position = static_cast<std::int64_t>(step.position);
      std::copy_n(rows.const_data_ptr<float>() + static_cast<std::int64_t>(b) * rows.size(1), S,
                  weights[pair].mutable_data_ptr<float>() + position * S);
      if (position + 1 == T) take(pair, std::exchange(weights[pair], {}));
    }
  };
  try {
    force(scorer, pairs, batch_size, before_step, workers, take_step);
  } catch (const NoAttention&) {
    return false;
  }
  return true;
}

}  // namespace gloss
