#include "model/multi_head_attention.h"

#include <utility>

#include "common/error.h"
#include "model/alternatives/rotary_positions.h"
#include "model/attention.h"
#include "model/fast/dispatch.h"
#include "tensor/shape.h"

namespace gloss {

MultiHeadAttentionImpl::MultiHeadAttentionImpl(std::int64_t d_model, std::int64_t heads, double dropout,
                                               std::string site, AttentionAlternatives alternatives)
    : d_model_(d_model),
      heads_(heads),
      dropout_(dropout),
      site_(std::move(site)),
      alternatives_(std::move(alternatives)) {
  if (heads < 1 || d_model % heads != 0) {
    throw ShapeError(site_ + ": wanted heads that divide d_model " + std::to_string(d_model) + ", got " +
                     std::to_string(heads));
  }
  query_ = register_module("query", Linear(d_model, d_model));
  key_ = register_module("key", Linear(d_model, d_model));
  value_ = register_module("value", Linear(d_model, d_model));
  output_ = register_module("output", Linear(d_model, d_model));
  if (alternatives_.score) register_module("score", alternatives_.score);
}

at::Tensor MultiHeadAttentionImpl::forward(const at::Tensor& x, const at::Tensor& memory, const Mask& mask,
                                           const Pass& pass) {
  expect_shape(x, {-1, -1, d_model_}, "x");
  expect_shape(memory, {-1, -1, d_model_}, "memory");
  const auto weights = [](const Linear& map) { return fast::WeightAndBias{map->weight(), map->bias()}; };
  if (is_scaled_dot()) {
    // In training on the CPU: one kernel for all heads, instead of `attend`.
    if (const auto heads = fast::concatenated_heads(x, memory, weights(query_), weights(key_), weights(value_), heads_,
                                                    mask, {pass, site_, dropout_}))
      return output_(*heads, pass);
  }
  return attend(x, project(memory, pass), mask, pass);
}

KeysAndValues MultiHeadAttentionImpl::project(const at::Tensor& memory, const Pass& pass, std::int64_t first) {
  expect_shape(memory, {-1, -1, d_model_}, "memory");
  const auto key = split_heads(key_(memory, pass)), value = split_heads(value_(memory, pass));  // [B, H, S, d_k] each
  return {alternatives_.rotary ? rotate(key, first) : key, value};
}

at::Tensor MultiHeadAttentionImpl::attend(const at::Tensor& x, const KeysAndValues& attended, const Mask& mask,
                                          const Pass& pass) {
  expect_shape(x, {-1, -1, d_model_}, "x");
  const AttentionContext context{pass, site_, dropout_};
  const auto query = split_heads(query_(x, pass));  // [B, H, T, d_k]
  if (is_scaled_dot()) {
    // LibTorch's fused attention; the equation in a plain pass, with a probe, and with dropout on the CPU.
    auto heads = fast::attention(query, attended.key, attended.value, mask, context);  // [B, H, T, d_k]
    if (!heads) heads = attention(query, attended.key, attended.value, mask, context);
    return output_(concat(*heads), pass);  // Concat(head_1, ..., head_H) W^O, [B, T, D]
  }
  // The alternatives: another score function, or positions in the scores.
  const auto heads = attend_by_scores(scores(query, attended.key), attended.value, mask, context);  // [B, H, T, d_k]
  return output_(concat(heads), pass);
}

bool MultiHeadAttentionImpl::is_scaled_dot() const {
  return !alternatives_.score && !alternatives_.rotary && !alternatives_.relative;
}

at::Tensor MultiHeadAttentionImpl::scores(const at::Tensor& query, const at::Tensor& key) {
  const auto T = query.size(2), S = key.size(2);
  const auto placed = alternatives_.rotary ? rotate(query, S - T) : query;
  const auto scores = alternatives_.score ? alternatives_.score(placed, key) : scaled_dot_scores(placed, key);
  return alternatives_.relative ? scores + alternatives_.relative(T, S) : scores;  // [B, H, T, S]
}

MultiHeadAttention make_self_attention(const ModelConfig& config, const std::string& site,
                                       const RelativePositions& relative) {
  return MultiHeadAttention(config.d_model, config.heads, config.dropout_on_attention(), site + ".self_attention",
                            AttentionAlternatives{.score = make_score_function(config),
                                                  .rotary = config.positions == Positions::kRotary,
                                                  .relative = relative});
}

MultiHeadAttention make_cross_attention(const ModelConfig& config, const std::string& site) {
  return MultiHeadAttention(config.d_model, config.heads, config.dropout_on_attention(), site + ".cross_attention",
                            AttentionAlternatives{.score = make_score_function(config)});
}

at::Tensor MultiHeadAttentionImpl::split_heads(const at::Tensor& x) const {
  return x.view({x.size(0), x.size(1), heads_, d_model_ / heads_}).transpose(1, 2);
}

at::Tensor MultiHeadAttentionImpl::concat(const at::Tensor& heads) const {
  return heads.transpose(1, 2).reshape({heads.size(0), heads.size(2), d_model_});
}

}  // namespace gloss
