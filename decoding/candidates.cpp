#include "decoding/candidates.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <ATen/ops/cat.h>
#include <ATen/ops/topk.h>

#include "common/error.h"

namespace gloss {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

bool better(const Candidate& a, const Candidate& b) {
  if (a.log_probability != b.log_probability) return a.log_probability > b.log_probability;
  return a.row != b.row ? a.row < b.row : a.id < b.id;
}

/// Leaves the best `count`, in order.
void keep_best(std::vector<Candidate>& candidates, std::int64_t count) {
  const auto kept = std::min(std::ssize(candidates), count);
  std::partial_sort(candidates.begin(), candidates.begin() + kept, candidates.end(), better);
  candidates.resize(kept);
}

/// The likeliest `width` tokens of every row, on the host.
class TopTokens {
 public:
  TopTokens(const Scorer::Step& step, std::int64_t width) : logits_(step.logits), width_(width) {
    const auto [values, ids] = step.logits.topk(width, -1);     // [B * K, width] each
    const auto normaliser = step.log_normaliser.unsqueeze(-1);  // [B * K, 1]
    table_ = at::cat({values.to(at::kDouble), ids.to(at::kDouble), normaliser.to(at::kDouble)}, 1).to(at::kCPU);
  }

  double logit(std::int64_t row, std::int64_t place) const { return entry(row, place); }
  Id id(std::int64_t row, std::int64_t place) const { return static_cast<Id>(entry(row, width_ + place)); }
  double log_normaliser(std::int64_t row) const { return entry(row, 2 * width_); }
  /// All logits of one row, [V].
  at::Tensor whole_row(std::int64_t row) const { return logits_.select(0, row).to(at::kCPU, at::kDouble).contiguous(); }

 private:
  double entry(std::int64_t row, std::int64_t column) const {
    return table_.const_data_ptr<double>()[row * (2 * width_ + 1) + column];
  }

  at::Tensor logits_;
  at::Tensor table_;  ///< [B * K, 2 * width + 1]: logits, ids, normaliser
  std::int64_t width_;
};

/// What is added to a row's logits to make them log-probabilities; -inf where nothing can follow.
double offset_of(double log_probability, double log_normaliser) {
  if (std::isnan(log_normaliser) || log_normaliser == -kNever)
    throw ModelError("scorer: wanted a finite log-normaliser, got " + std::to_string(log_normaliser) +
                     "; the weights are damaged or too large for this precision");
  return log_normaliser == kNever ? kNever : log_probability - log_normaliser;
}

}  // namespace

std::vector<std::vector<Candidate>> best_candidates(const Scorer::Step& step, std::span<const double> log_probabilities,
                                                    std::int64_t sentences, std::int64_t count,
                                                    std::optional<Id> banned) {
  const auto V = step.logits.size(-1);
  const auto K = std::ssize(log_probabilities) / sentences;
  // One more than wanted, to see a tie at the border, and one for what is banned.
  const auto width = std::min(count + (banned ? 2 : 1), V);
  const TopTokens top(step, width);

  std::vector<std::vector<Candidate>> result(sentences);
  for (std::int64_t b = 0; b < sentences; ++b) {
    auto& candidates = result[b];
    std::vector<double> offsets, lowest;  // [K]; lowest: of the row's tokens looked at
    for (std::int64_t k = 0; k < K; ++k) {
      const auto row = b * K + k;
      offsets.push_back(offset_of(log_probabilities[row], top.log_normaliser(row)));
      lowest.push_back(offsets.back() + top.logit(row, width - 1));
      for (std::int64_t place = 0; place < width && offsets.back() + top.logit(row, place) > kNever; ++place) {
        const auto id = top.id(row, place);
        if (id != banned) candidates.push_back({k, id, offsets.back() + top.logit(row, place)});
      }
    }
    keep_best(candidates, count);
    if (width == V || std::ssize(candidates) < count) continue;

    // A row that ties at the border with its last token looked at may have equal ones of a lower id: look at them all.
    for (std::int64_t k = 0; k < K; ++k) {
      if (lowest[k] < candidates.back().log_probability) continue;
      const auto logits = top.whole_row(b * K + k);  // [V]
      std::erase_if(candidates, [k](const Candidate& candidate) { return candidate.row == k; });
      for (Id id = 0; id < V; ++id)
        if (id != banned) candidates.push_back({k, id, offsets[k] + logits.const_data_ptr<double>()[id]});
      keep_best(candidates, count);
    }
  }
  return result;
}

}  // namespace gloss
