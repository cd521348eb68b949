#include "decoding/scorers/transformer_scorer.h"

#include <string>
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

/// Keeps the cross-attention of a site, without a layer that of the last one. Passes every call on to `next`.
class SiteProbe final : public Probe {
 public:
  SiteProbe(const AttentionSite& site, Probe* next)
      : name_(site.layer ? "decoder.layers." + std::to_string(*site.layer) : ""), head_(site.head), next_(next) {
    name_ += ".cross_attention";
  }

  void embedding(std::string_view site, at::Tensor& tokens, at::Tensor& positions) override {
    if (next_ != nullptr) next_->embedding(site, tokens, positions);
  }
  void source_mask(Mask& mask, std::int64_t B, std::int64_t S) override {
    if (next_ != nullptr) next_->source_mask(mask, B, S);
  }
  void attention(std::string_view site, at::Tensor& weights, const at::Tensor& value) override {
    if (next_ != nullptr) next_->attention(site, weights, value);
    if (site.ends_with(name_)) weights_ = head_ ? weights.select(1, *head_) : weights.mean(1);
  }
  void output(std::string_view site, const at::Tensor& value) override {
    if (next_ != nullptr) next_->output(site, value);
  }

  /// Returns [rows, S]; undefined if the network has no such attention.
  at::Tensor weights() const { return weights_.defined() ? weights_.flatten(0, 1) : weights_; }

 private:
  std::string name_;  ///< with which the site ends
  std::optional<std::int64_t> head_;
  Probe* next_;
  at::Tensor weights_;  ///< [B, K, S] or [B * K, 1, S]
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

Scorer::Step TransformerScorer::step(State& state, std::span<const Id> tokens,
                                     const std::optional<AttentionSite>& site) const {
  const c10::InferenceMode inference;
  SiteProbe probe(site.value_or(AttentionSite{}), probe_.get());
  const Pass pass{.probe = site ? &probe : probe_.get(), .plain = plain_};
  const std::vector<std::int64_t> ids(tokens.begin(), tokens.end());
  auto result = step(state, to_device(ids, device()), pass);
  const auto attention = probe.weights();  // [B * K, S]
  if (attention.defined()) result.attention = attention.to(at::kFloat);
  return result;
}

Scorer::Step TransformerScorer::step_on_device(State& state, const at::Tensor& tokens) const {
  return step(state, tokens, Pass{.plain = plain_});
}

Scorer::Step TransformerScorer::step(State& state, const at::Tensor& tokens, const Pass& pass) const {
  const c10::InferenceMode inference;
  auto& cache = cache_of(state);
  expect_shape(tokens, {cache.sentences * cache.rows}, "tokens");
  const auto x = model_->step(tokens.view({cache.sentences, cache.rows}), cache, pass);  // [B * K, D]
  Step result;
  result.logits = model_->generator()->logits(x).to(at::kFloat);  // [B * K, V]
  result.log_normalizer = result.logits.logsumexp(-1);            // [B * K]
  return result;
}

void TransformerScorer::select(State& state, const std::vector<std::int64_t>& sentences,
                               const std::vector<std::int64_t>& parents) const {
  const c10::InferenceMode inference;
  cache_of(state).select(sentences, parents);
}

void TransformerScorer::reorder(State& state, const at::Tensor& rows) const {
  const c10::InferenceMode inference;
  cache_of(state).reorder(rows);
}

std::int64_t TransformerScorer::vocabulary_size() const { return model_->generator()->weight().size(0); }

at::Device TransformerScorer::device() const { return model_->device(); }

}  // namespace gloss
