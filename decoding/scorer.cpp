#include "decoding/scorer.h"

#include <algorithm>
#include <numeric>

#include <ATen/ops/topk.h>

#include "tensor/to_device.h"

namespace gloss {
namespace {

/// Ranks a whole row. at::topk may take any of equal logits, so this is for rows with equals at the cut.
void rank_whole(const at::Tensor& logits, std::int64_t width, float* best_logits, Id* best_ids) {
  const auto row = logits.to(at::kCPU, at::kFloat).contiguous();  // [V]
  const auto* const at = row.const_data_ptr<float>();
  Ids order(static_cast<std::size_t>(row.size(0)));
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + width, order.end(),
                    [at](Id a, Id b) { return at[a] != at[b] ? at[a] > at[b] : a < b; });
  for (std::int64_t index = 0; index < width; ++index) {
    best_ids[index] = order[static_cast<std::size_t>(index)];
    best_logits[index] = at[best_ids[index]];
  }
}

/// Sorts the ids of equal logits.
void order_equals(std::int64_t width, const float* logits, Id* ids) {
  for (std::int64_t first = 0; first < width;) {
    auto last = first + 1;
    while (last < width && logits[last] == logits[first]) ++last;
    std::sort(ids + first, ids + last);
    first = last;
  }
}

}  // namespace

std::unique_ptr<Scorer::State> Scorer::start_with_shortlist(const PaddedIds& source, std::span<const Ids>) const {
  return start(source);
}

Scorer::TopStep Scorer::step_top(State& state, std::span<const Id> tokens, std::int64_t width,
                                 const std::optional<AttentionSite>& site) const {
  const auto result = step(state, tokens, site);
  return {top_tokens_of(result, width), result.attention};
}

TopTokens top_tokens_of(const Scorer::Step& step, std::int64_t width) {
  const auto rows = step.logits.size(0), V = step.logits.size(1);
  const auto seen = std::min(width + 1, V);  // one more, to detect equals at the cut
  const auto [values, places] = step.logits.topk(seen, -1);
  const auto best = values.to(at::kCPU, at::kFloat).contiguous();                       // [rows, seen]
  const auto ids = places.to(at::kCPU, at::kInt).contiguous();                          // [rows, seen]
  const auto normalizers = step.log_normalizer.to(at::kCPU, at::kDouble).contiguous();  // [rows]

  TopTokens top;
  top.width = width;
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto* const logits = best.const_data_ptr<float>() + row * seen;
    const auto* const id = ids.const_data_ptr<Id>() + row * seen;
    top.logits.insert(top.logits.end(), logits, logits + width);
    top.ids.insert(top.ids.end(), id, id + width);
    auto* const row_logits = top.logits.data() + row * width;
    auto* const row_ids = top.ids.data() + row * width;
    if (seen > width && logits[width] == logits[width - 1])
      rank_whole(step.logits.select(0, row), width, row_logits, row_ids);
    else
      order_equals(width, row_logits, row_ids);
  }
  const auto* const normalizer = normalizers.const_data_ptr<double>();
  top.log_normalizers.assign(normalizer, normalizer + rows);
  return top;
}

at::Tensor Scorer::step_attention(State& state, std::span<const Id> tokens, const AttentionSite& site) const {
  return step(state, tokens, site).attention;
}

TokenScores Scorer::step_forced(State& state, std::span<const Id> tokens, std::span<const Id> next) const {
  const auto scores = step(state, tokens, std::nullopt);
  const std::vector<std::int64_t> columns(next.begin(), next.end());
  const auto index = to_device(columns, scores.logits.device()).unsqueeze(1);                            // [B * K, 1]
  const auto logits = scores.logits.gather(1, index).squeeze(1).to(at::kCPU, at::kDouble).contiguous();  // [B * K]
  const auto normalizers = scores.log_normalizer.to(at::kCPU, at::kDouble).contiguous();                 // [B * K]
  const auto values = [](const at::Tensor& x) {
    return std::vector<double>(x.const_data_ptr<double>(), x.const_data_ptr<double>() + x.numel());
  };
  return {values(logits), values(normalizers)};
}

}  // namespace gloss
