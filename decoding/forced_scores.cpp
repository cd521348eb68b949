#include "decoding/forced_scores.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "common/error.h"
#include "tensor/to_device.h"

namespace gloss {
namespace {

void expect_room(const Scorer& scorer, std::span<const Ids> said) {
  for (std::size_t i = 0; i < said.size(); ++i) {
    const auto length = std::ssize(said[i]);
    if (length <= scorer.max_target_length()) continue;
    throw DataError("target " + std::to_string(i + 1) + ": wanted at most " +
                    std::to_string(scorer.max_target_length()) + " tokens, which is all that the model can say, got " +
                    std::to_string(length));
  }
}

// The pairs named, whose targets get no longer from one to the next and are not empty.
void score_batch(const Scorer& scorer, std::span<const Ids> sources, std::span<const Ids> said,
                 std::span<const std::size_t> batch, const std::function<void()>& before_step,
                 std::vector<ForcedScore>& result) {
  std::vector<Ids> rows;
  for (const auto i : batch) rows.push_back(sources[i]);
  const auto state = scorer.start(pad(rows, scorer.device()));
  std::vector<std::int64_t> last(batch.size(), kBos);
  for (std::size_t position = 0; !last.empty(); ++position) {
    if (before_step) before_step();
    Ids next;
    for (std::size_t b = 0; b < last.size(); ++b) next.push_back(said[batch[b]][position]);
    const auto tokens = to_device(last, scorer.device()).view({-1, 1});  // [B, 1]
    const auto step = scorer.step_forced(*state, tokens, next);
    std::vector<std::int64_t> kept;
    for (std::size_t b = 0; b < last.size(); ++b) {
      if (!std::isfinite(step.log_normalizers[b]))
        throw ModelError("scorer: wanted a finite log-normalizer; the weights are damaged");
      auto& score = result[batch[b]];
      score.tokens.push_back(step.logits[b] - step.log_normalizers[b]);
      score.log_probability = score.log_probability - step.log_normalizers[b] + step.logits[b];
      if (position + 1 < said[batch[b]].size()) kept.push_back(static_cast<std::int64_t>(b));
    }
    const bool all = kept.size() == last.size();
    last.assign(next.begin(), next.begin() + std::ssize(kept));
    if (!all && !kept.empty()) scorer.select(*state, kept, std::vector<std::int64_t>(kept.size(), 0));
  }
}

}  // namespace

std::vector<ForcedScore> forced_scores(const Scorer& scorer, std::span<const Ids> sources, std::span<const Ids> targets,
                                       std::int64_t batch_size, const std::function<void()>& before_step) {
  std::vector<Ids> said(targets.begin(), targets.end());
  for (auto& ids : said) ids.push_back(kEos);
  return forced_token_scores(scorer, sources, said, batch_size, before_step);
}

std::vector<ForcedScore> forced_token_scores(const Scorer& scorer, std::span<const Ids> sources,
                                             std::span<const Ids> said, std::int64_t batch_size,
                                             const std::function<void()>& before_step) {
  if (sources.size() != said.size())
    throw DataError("wanted a target for each of " + std::to_string(sources.size()) + " sources, got " +
                    std::to_string(said.size()));
  if (batch_size < 1) throw UsageError("batch_size: wanted at least 1, got " + std::to_string(batch_size));
  expect_room(scorer, said);
  std::vector<std::size_t> order;  // the pairs that say something, the longest first
  for (std::size_t i = 0; i < said.size(); ++i)
    if (!said[i].empty()) order.push_back(i);
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return said[i].size(); });
  std::vector<ForcedScore> result(said.size());
  const auto together = static_cast<std::size_t>(batch_size);
  for (std::size_t first = 0; first < order.size(); first += together) {
    if (before_step) before_step();
    score_batch(scorer, sources, said, std::span(order).subspan(first, std::min(together, order.size() - first)),
                before_step, result);
  }
  return result;
}

}  // namespace gloss
