#include "decoding/scorers/inference_scorer.h"

#include <ATen/ops/tensor.h>
#include <c10/core/InferenceMode.h>

#include "tensor/shape.h"

namespace gloss {
namespace {

struct PackedState final : Scorer::State {
  InferenceState rows;
};

InferenceState& rows_of(Scorer::State& state) { return static_cast<PackedState&>(state).rows; }

InferenceModel::Output say(const InferenceModel& model, InferenceState& state, const at::Tensor& tokens,
                           bool with_attention) {
  expect_shape(tokens, {state.sentences(), state.rows}, "tokens");
  const auto said = tokens.contiguous();
  return model.step(state, {said.const_data_ptr<std::int64_t>(), static_cast<std::size_t>(said.numel())},
                    with_attention);
}

}  // namespace

InferenceScorer::InferenceScorer(const EncoderDecoder& model, const ModelConfig& config, std::int64_t max_target_length,
                                 WeightPrecision precision)
    : model_(model, config, precision), max_target_length_(max_target_length) {}

std::unique_ptr<Scorer::State> InferenceScorer::start(const PaddedIds& source) const {
  const c10::InferenceMode inference;
  auto state = std::make_unique<PackedState>();
  state->rows = model_.start(source);
  return state;
}

Scorer::Step InferenceScorer::step(State& state, const at::Tensor& tokens, bool with_attention) const {
  const c10::InferenceMode inference;
  const auto [x, attention] = say(model_, rows_of(state), tokens, with_attention);
  const auto [logits, log_normalizers] = model_.logits(x);
  return {logits, at::tensor(log_normalizers, at::kDouble), attention};
}

TopTokens InferenceScorer::step_top(State& state, const at::Tensor& tokens, std::int64_t width) const {
  const c10::InferenceMode inference;
  return model_.top_tokens(say(model_, rows_of(state), tokens, false).x, width);
}

Scorer::TokenScores InferenceScorer::step_forced(State& state, const at::Tensor& tokens,
                                                 std::span<const Id> next) const {
  const c10::InferenceMode inference;
  const auto x = say(model_, rows_of(state), tokens, false).x;  // [B * K, D]
  return {model_.logits_of(x, next), model_.top_tokens(x, 1).log_normalizers};
}

void InferenceScorer::select(State& state, const std::vector<std::int64_t>& sentences,
                             const std::vector<std::int64_t>& parents) const {
  rows_of(state).select(sentences, parents);
}

}  // namespace gloss
