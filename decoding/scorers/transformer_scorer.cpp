#include "decoding/scorers/transformer_scorer.h"

#include <utility>

#include <ATen/ops/logsumexp.h>
#include <c10/core/InferenceMode.h>

#include "tensor/shape.h"
#include "tensor/to_device.h"

namespace gloss {
namespace {

struct TransformerState final : Scorer::State {
  DecoderCache cache;
};

/// Keeps the weights of the cross-attention that ran last: the last layer's. Passes every call on to `next`.
class LastCrossAttention final : public Probe {
 public:
  explicit LastCrossAttention(Probe* next) : next_(next) {}

  void embedding(std::string_view site, at::Tensor& tokens, at::Tensor& positions) override {
    if (next_ != nullptr) next_->embedding(site, tokens, positions);
  }
  void source_mask(Mask& mask, std::int64_t B, std::int64_t S) override {
    if (next_ != nullptr) next_->source_mask(mask, B, S);
  }
  void attention(std::string_view site, at::Tensor& weights, const at::Tensor& value) override {
    if (next_ != nullptr) next_->attention(site, weights, value);
    if (site.ends_with(".cross_attention")) weights_ = weights;
  }
  void output(std::string_view site, const at::Tensor& value) override {
    if (next_ != nullptr) next_->output(site, value);
  }

  /// Returns the mean over the heads, [rows, S]; undefined if the network has no cross-attention.
  at::Tensor mean() const { return weights_.defined() ? weights_.mean(1).flatten(0, 1) : weights_; }

 private:
  Probe* next_;
  at::Tensor weights_;  ///< [B, H, K, S] or [B * K, H, 1, S]
};

DecoderCache& cache_of(Scorer::State& state) { return static_cast<TransformerState&>(state).cache; }

}  // namespace

TransformerScorer::TransformerScorer(EncoderDecoder model, std::int64_t max_target_length, bool plain,
                                     std::shared_ptr<Probe> probe)
    : model_(std::move(model)), max_target_length_(max_target_length), plain_(plain), probe_(std::move(probe)) {}

std::unique_ptr<Scorer::State> TransformerScorer::start(const PaddedIds& source) const {
  const c10::InferenceMode inference;
  auto state = std::make_unique<TransformerState>();
  const Pass pass{.probe = probe_.get(), .plain = plain_};
  state->cache = model_->start(model_->encode(source, pass), Mask::padding(source.lengths), pass);
  return state;
}

Scorer::Step TransformerScorer::step(State& state, std::span<const Id> tokens, bool with_attention) const {
  const c10::InferenceMode inference;
  LastCrossAttention probe(probe_.get());
  Pass pass{.probe = probe_.get(), .plain = plain_};
  if (with_attention) pass.probe = &probe;
  auto& cache = cache_of(state);
  const std::vector<std::int64_t> ids(tokens.begin(), tokens.end());
  const auto input = to_device(ids, device());  // [B * K]
  expect_shape(input, {cache.sentences * cache.rows}, "tokens");
  const auto x = model_->step(input.view({cache.sentences, cache.rows}), cache, pass);  // [B * K, D]
  Step result;
  result.logits = model_->generator()->logits(x);       // [B * K, V]
  result.log_normalizer = result.logits.logsumexp(-1);  // [B * K]
  if (with_attention) result.attention = probe.mean();  // [B * K, S]
  return result;
}

void TransformerScorer::select(State& state, const std::vector<std::int64_t>& sentences,
                               const std::vector<std::int64_t>& parents) const {
  const c10::InferenceMode inference;
  cache_of(state).select(sentences, parents);
}

std::int64_t TransformerScorer::vocabulary_size() const { return model_->generator()->weight().size(0); }

at::Device TransformerScorer::device() const { return model_->device(); }

}  // namespace gloss
