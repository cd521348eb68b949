#include "decoding/forced_scores.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include <ATen/ops/tensor.h>

#include "common/error.h"

namespace gloss {
namespace {

void expect_room(const Scorer& scorer, std::span<const Ids> targets) {
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto length = std::ssize(targets[i]) + 1;
    if (length <= scorer.max_target_length()) continue;
    throw DataError("target " + std::to_string(i + 1) + ": wanted at most " +
                    std::to_string(scorer.max_target_length()) + " tokens, which is all that the model can say, got " +
                    std::to_string(length));
  }
}

// The pairs named, whose targets get no longer from one to the next.
void score_batch(const Scorer& scorer, std::span<const Ids> sources, std::span<const Ids> targets,
                 std::span<const std::size_t> batch, std::vector<ForcedScore>& result) {
  std::vector<Ids> rows;
  for (const auto i : batch) rows.push_back(sources[i]);
  const auto state = scorer.start(pad(rows, scorer.device()));
  std::vector<std::int64_t> last(batch.size(), kBos);
  for (std::size_t position = 0; !last.empty(); ++position) {
    Ids next;
    for (std::size_t b = 0; b < last.size(); ++b) {
      const auto& target = targets[batch[b]];
      next.push_back(position < target.size() ? target[position] : kEos);
    }
    const auto tokens = at::tensor(last, at::kLong).view({-1, 1}).to(scorer.device());  // [B, 1]
    const auto said = scorer.step_said(*state, tokens, next);
    std::vector<std::int64_t> kept;
    for (std::size_t b = 0; b < last.size(); ++b) {
      if (!std::isfinite(said.log_normalisers[b]))
        throw ModelError("scorer: wanted a finite log-normaliser; the weights are damaged");
      auto& score = result[batch[b]];
      score.tokens.push_back(said.logits[b] - said.log_normalisers[b]);
      score.log_probability = score.log_probability - said.log_normalisers[b] + said.logits[b];
      if (next[b] != kEos || position < targets[batch[b]].size()) kept.push_back(static_cast<std::int64_t>(b));
    }
    const bool all = kept.size() == last.size();
    last.assign(next.begin(), next.begin() + std::ssize(kept));
    if (!all && !kept.empty()) scorer.select(*state, kept, std::vector<std::int64_t>(kept.size(), 0));
  }
}

}  // namespace

std::vector<ForcedScore> forced_scores(const Scorer& scorer, std::span<const Ids> sources, std::span<const Ids> targets,
                                       std::int64_t batch_size, const std::function<void()>& before_batch) {
  if (sources.size() != targets.size())
    throw DataError("wanted a target for each of " + std::to_string(sources.size()) + " sources, got " +
                    std::to_string(targets.size()));
  if (batch_size < 1) throw UsageError("batch_size: wanted at least 1, got " + std::to_string(batch_size));
  expect_room(scorer, targets);
  std::vector<std::size_t> order(targets.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return targets[i].size(); });
  std::vector<ForcedScore> result(targets.size());
  const auto together = static_cast<std::size_t>(batch_size);
  for (std::size_t first = 0; first < order.size(); first += together) {
    if (before_batch) before_batch();
    score_batch(scorer, sources, targets, std::span(order).subspan(first, std::min(together, order.size() - first)),
                result);
  }
  return result;
}

}  // namespace gloss
