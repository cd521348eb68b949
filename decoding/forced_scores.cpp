#include "decoding/forced_scores.h"

#include <algorithm>
#include <cmath>
#include <string>

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

/// Scores the pairs of a batch. Their targets are not empty and sorted by length, the longest first.
void score_batch(const Scorer& scorer, std::span<const Ids> sources, std::span<const Ids> targets,
                 std::span<const std::size_t> batch, const std::function<void()>& before_step, std::size_t given_tokens,
                 std::vector<ForcedScore>& result) {
  std::vector<Ids> rows;
  for (const auto i : batch) rows.push_back(sources[i]);
  const auto state = scorer.start(pad(rows, scorer.device()));
  Ids last(batch.size(), kBos);
  for (std::size_t position = 0; !last.empty(); ++position) {
    before_step();
    Ids next;
    for (std::size_t b = 0; b < last.size(); ++b) next.push_back(targets[batch[b]][position]);
    const auto step = scorer.step_forced(*state, last, next);
    std::vector<std::int64_t> kept;
    for (std::size_t b = 0; b < last.size(); ++b) {
      if (!std::isfinite(step.log_normalizers[b]))
        throw ModelError("scorer: wanted a finite log-normalizer; the weights are damaged");
      auto& score = result[batch[b]];
      const auto normalizer = position < given_tokens ? step.logits[b] : step.log_normalizers[b];
      score.tokens.push_back(step.logits[b] - normalizer);
      score.log_probability = score.log_probability - normalizer + step.logits[b];
      if (position + 1 < targets[batch[b]].size()) kept.push_back(static_cast<std::int64_t>(b));
    }
    const bool all = kept.size() == last.size();
    last.assign(next.begin(), next.begin() + std::ssize(kept));
    if (!all && !kept.empty()) scorer.select(*state, kept, std::vector<std::int64_t>(kept.size(), 0));
  }
}

}  // namespace

std::vector<ForcedScore> forced_token_scores(const Scorer& scorer, std::span<const Ids> sources,
                                             std::span<const Ids> targets, std::int64_t batch_size,
                                             const std::function<void()>& before_step, std::int64_t workers,
                                             std::int64_t given_tokens) {
  if (sources.size() != targets.size())
    throw UsageError("targets: wanted one for each of " + std::to_string(sources.size()) + " sources, got " +
                     std::to_string(targets.size()));
  if (batch_size < 1) throw UsageError("batch_size: wanted at least 1, got " + std::to_string(batch_size));
  expect_lengths(scorer, targets);
  std::vector<std::size_t> order;  // the pairs whose targets are not empty, the longest first
  for (std::size_t i = 0; i < targets.size(); ++i)
    if (!targets[i].empty()) order.push_back(i);
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return targets[i].size(); });
  std::vector<ForcedScore> result(targets.size());
  const auto size = static_cast<std::size_t>(batch_size);
  const auto batches = static_cast<std::int64_t>((order.size() + size - 1) / size);
  SerialCalls calls;
  const auto before_each_step = [&] {
    if (before_step) calls(before_step);
  };
  const auto score = [&](std::int64_t batch) {
    before_each_step();
    const auto first = static_cast<std::size_t>(batch) * size;
    score_batch(scorer, sources, targets, std::span(order).subspan(first, std::min(size, order.size() - first)),
                before_each_step, static_cast<std::size_t>(given_tokens), result);
  };
  if (workers > 1 && batches > 1 && scorer.device().is_cpu()) {
    try {
      run_on_kept_workers(workers, batches, score);
    } catch (...) {
      calls.rethrow();
      throw;
    }
  } else {
    for (std::int64_t batch = 0; batch < batches; ++batch) score(batch);
  }
  return result;
}

}  // namespace gloss
