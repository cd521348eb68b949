#include "decoding/scorers/inference_scorer.h"

#include <utility>

#include <ATen/ops/tensor.h>
#include <c10/core/InferenceMode.h>

namespace gloss {
namespace {

struct PackedState final : Scorer::State {
  explicit PackedState(InferenceState started) : rows(std::move(started)) {}
  InferenceState rows;
};

InferenceState& rows_of(Scorer::State& state) { return static_cast<PackedState&>(state).rows; }

}  // namespace

InferenceScorer::InferenceScorer(const LazyModel& model, const ModelConfig& config, std::int64_t max_target_length,
                                 WeightPrecision precision)
    : model_(model, config, precision), max_target_length_(max_target_length) {}

std::unique_ptr<Scorer::State> InferenceScorer::start(const PaddedIds& source) const {
  const c10::InferenceMode inference;
  return std::make_unique<PackedState>(model_.start(source));
}

std::unique_ptr<Scorer::State> InferenceScorer::start_with_shortlist(const PaddedIds& source,
                                                                     std::span<const Ids> wanted) const {
  const c10::InferenceMode inference;
  return std::make_unique<PackedState>(model_.start(source, wanted));
}

Scorer::Step InferenceScorer::step(State& state, std::span<const Id> tokens,
                                   const std::optional<AttentionSite>& site) const {
  const c10::InferenceMode inference;
  const auto [x, attention] = model_.step(rows_of(state), tokens, site);
  const auto [logits, log_normalizers] = model_.logits(x, rows_of(state).lists);
  return {logits, at::tensor(log_normalizers, at::kDouble), attention};
}

at::Tensor InferenceScorer::step_attention(State& state, std::span<const Id> tokens, const AttentionSite& site) const {
  const c10::InferenceMode inference;
  return model_.step_attention(rows_of(state), tokens, site);
}

Scorer::TopStep InferenceScorer::step_top(State& state, std::span<const Id> tokens, std::int64_t width,
                                          const std::optional<AttentionSite>& site) const {
  const c10::InferenceMode inference;
  const auto [x, attention] = model_.step(rows_of(state), tokens, site);
  return {model_.top_tokens(x, width, rows_of(state).lists), attention};
}

TokenScores InferenceScorer::step_forced(State& state, std::span<const Id> tokens, std::span<const Id> next) const {
  const c10::InferenceMode inference;
  if (!rows_of(state).lists.empty()) return Scorer::step_forced(state, tokens, next);
  const auto x = model_.step(rows_of(state), tokens, std::nullopt).x;  // [B * K, D]
  // top_tokens computes the log-normalizers without storing all logits.
  return {model_.logits_of(x, next), model_.top_tokens(x, 1).log_normalizers};
}

void InferenceScorer::select(State& state, const std::vector<std::int64_t>& sentences,
                             const std::vector<std::int64_t>& parents) const {
  rows_of(state).select(sentences, parents);
}

}  // namespace gloss
