#include "decoding/search_ahead.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/argsort.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/floor_divide.h>
#include <ATen/ops/nan_to_num.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <c10/core/InferenceMode.h>

#include "decoding/constraints.h"
#include "tensor/to_device.h"

namespace gloss {
namespace {

constexpr double kNoChance = -std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

/// The candidates of a step of all sentences, on the host: double [B, W, kColumns], best first.
class StepCandidates {
 public:
  static constexpr std::int64_t kColumns = 4;  ///< row, id, log-probability, that of the token: double holds all

  explicit StepCandidates(at::Tensor values) : values_(std::move(values)) {}

  /// Throws ModelError as log_probability_offset. Not for a sentence that has ended, whose candidates may be NaN.
  std::vector<Candidate> of(std::int64_t sentence) const {
    std::vector<Candidate> candidates;
    const auto W = values_.size(1);
    const auto* at = values_.const_data_ptr<double>() + sentence * W * kColumns;
    for (std::int64_t i = 0; i < W; ++i, at += kColumns) {
      if (std::isnan(at[2])) log_probability_offset(0, at[2]);  // throws
      if (!(at[2] > kNoChance)) break;
      candidates.push_back({static_cast<std::int64_t>(at[0]), static_cast<Id>(at[1]), at[2], 0, at[3]});
    }
    return candidates;
  }

 private:
  at::Tensor values_;
};

/// The live rows of a search, on the device.
class DeviceRows {
 public:
  DeviceRows(const Scorer& scorer, Scorer::State& state, const DecodingConfig& config, const LiveRows& live,
             const AheadLimits& limits)
      : scorer_(scorer), state_(state), config_(config), limits_(limits), length_(live.length) {
    const auto B = std::ssize(live.sentences);
    tokens_ = to_device({live.tokens.begin(), live.tokens.end()}, scorer.device()).view({B, -1});
    log_probabilities_ = to_device(at::tensor(live.log_probabilities, at::kDouble), scorer.device()).view({B, -1});
  }

  std::int64_t length() const { return length_; }

  /// Takes some steps and waits for their candidates.
  std::vector<StepCandidates> take(std::int64_t steps) {
    const c10::InferenceMode inference;
    std::vector<at::Tensor> found, flat;  // [B, W, kColumns] of each step
    for (std::int64_t i = 0; i < steps; ++i) flat.push_back(found.emplace_back(step()).flatten());
    const auto all = at::cat(flat).to(at::kCPU);
    std::vector<StepCandidates> result;
    std::int64_t begin = 0;
    for (const auto& of_step : found) {
      result.emplace_back(all.narrow(0, begin, of_step.numel()).view(of_step.sizes()));
      begin += of_step.numel();
    }
    return result;
  }

  /// Keeps the given sentences, in that order.
  void keep(const std::vector<std::int64_t>& sentences) {
    const c10::InferenceMode inference;
    const auto K = tokens_.size(1);
    if (sentences.empty() || std::ssize(sentences) == tokens_.size(0)) return;
    std::vector<std::int64_t> parents;
    for (std::size_t i = 0; i < sentences.size(); ++i)
      for (std::int64_t k = 0; k < K; ++k) parents.push_back(k);
    scorer_.select(state_, sentences, parents);
    const auto index = to_device(sentences, scorer_.device());
    tokens_ = tokens_.index_select(0, index);
    log_probabilities_ = log_probabilities_.index_select(0, index);
  }

 private:
  /// Returns the values of StepCandidates for the next token, and goes on with the first ones that do not end.
  at::Tensor step() {
    const auto B = tokens_.size(0), K = tokens_.size(1);
    const auto& device = *scorer_.on_device();
    auto [logits, log_normalizer, attention] = device.step_on_device(state_, tokens_.flatten());  // [B * K, V]
    if (length_ < config_.min_length) logits.select(1, kEos).fill_(kBannedLogit);
    if (config_.no_unk) logits.select(1, kUnk).fill_(kBannedLogit);
    ++length_;
    const auto n = std::min(limits_.width, logits.size(1));
    const auto [likeliest, ids] = logits.topk(n, -1);  // [B * K, n]
    const auto of_logits = likeliest.to(at::kDouble).view({B, K, n});
    // -inf: a row whose logits are -inf, too; NaN stays, for the host to see.
    const auto normalizer = at::nan_to_num(log_normalizer.to(at::kDouble), kNotANumber, kNotANumber, 0).view({B, K, 1});
    // A row without a chance has none whatever its logits are.
    const auto no_chance = log_probabilities_.unsqueeze(2).eq(kNoChance);  // [B, K, 1]
    const auto totals =
        (log_probabilities_.unsqueeze(2) - normalizer + of_logits).masked_fill(no_chance, kNoChance);  // [B, K, n]
    const auto [best, places] = totals.flatten(1).topk(std::min(limits_.width, K * n), -1);            // [B, W]
    const auto id = ids.view({B, K * n}).gather(1, places);
    const auto row = at::floor_divide(places, n);
    const auto of_token = (of_logits - normalizer).flatten(1).gather(1, places);

    const auto ends = id.eq(kEos);
    const auto rows = std::min(limits_.rows, best.size(1));
    const auto next = at::argsort(ends.to(at::kInt), /*stable=*/true, 1, /*descending=*/false).narrow(1, 0, rows);
    tokens_ = id.gather(1, next);  // [B, rows]
    log_probabilities_ = best.gather(1, next).masked_fill(ends.gather(1, next), kNoChance);
    if (K > 1 || rows > 1) {
      const auto first = at::arange(0, B * K, K, row.options()).unsqueeze(1);  // row of each sentence, [B, 1]
      device.reorder(state_, (row.gather(1, next) + first).flatten());
    }
    return at::stack({row.to(at::kDouble), id.to(at::kDouble), best, of_token}, -1);
  }

  const Scorer& scorer_;
  Scorer::State& state_;
  const DecodingConfig& config_;
  AheadLimits limits_;
  std::int64_t length_;
  at::Tensor tokens_;             ///< int64 [B, K]
  at::Tensor log_probabilities_;  ///< double [B, K]
};

}  // namespace

bool may_run_ahead(const Scorer& scorer, const DecodingConfig& config, std::span<const Ids> prefixes,
                   std::int64_t length) {
  return scorer.on_device() != nullptr && config.repetition_penalty == 1 && config.no_repeat_ngram == 0 &&
         config.coverage_penalty == 0 && !config.shrinking_beam &&
         std::ranges::all_of(prefixes, [&](const auto& prefix) { return std::ssize(prefix) <= length; });
}

void search_ahead(const Scorer& scorer, Scorer::State& state, const DecodingConfig& config, LiveRows live,
                  const AheadLimits& limits, const SearchHooks& hooks, const TakeCandidates& take) {
  DeviceRows rows(scorer, state, config, live, limits);
  while (!live.sentences.empty()) {
    const auto steps = rows.take(std::min(kStepsAhead, limits.length - rows.length()));
    std::vector<std::int64_t> kept(live.sentences.size());
    std::iota(kept.begin(), kept.end(), 0);
    for (const auto& step : steps) {
      if (kept.empty()) break;
      if (hooks.before_step) hooks.before_step();
      std::erase_if(kept, [&](std::int64_t b) {
        const auto sentence = live.sentences[b];
        auto candidates = step.of(b);
        return !take(sentence, candidates) || !hooks.wants(sentence);
      });
    }
    std::vector<std::int64_t> sentences;
    for (const auto b : kept) sentences.push_back(live.sentences[b]);
    live.sentences = std::move(sentences);
    rows.keep(kept);
  }
}

}  // namespace gloss
