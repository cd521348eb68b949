#include "model/multi_head_attention.h"

#include <string>
#include <utility>

#include <ATen/ops/linear.h>

#include "common/error.h"
#include "model/attention.h"
#include "model/batch_statistics.h"
#include "model/fast/dispatch.h"
#include "model/int8_rounding.h"
#include "tensor/shape.h"

namespace gloss {

MultiHeadAttentionImpl::MultiHeadAttentionImpl(std::int64_t d_model, std::int64_t heads, double dropout, Scores scores)
    : query_(register_module("query", Linear(d_model, d_model))),
      key_(register_module("key", Linear(d_model, d_model))),
      value_(register_module("value", Linear(d_model, d_model))),
      output_(register_module("output", Linear(d_model, d_model))),
      scores_(register_module("score", std::move(scores))),
      heads_(heads),
      dropout_(dropout) {
  if (heads >= 1 && d_model % heads == 0) return;
  throw ShapeError("attention: wanted heads that divide d_model " + std::to_string(d_model) + ", got " +
                   std::to_string(heads));
}

at::Tensor MultiHeadAttentionImpl::forward(const at::Tensor& x, const at::Tensor& memory, const Mask& mask,
                                           const Pass& pass) {
  expect_shape(x, {-1, -1, query_->weight().size(1)}, "x");
  expect_shape(memory, {-1, -1, key_->weight().size(1)}, "memory");
  if (pass.batch != nullptr && pass.batch->watched && pass.batch->watched->site == site())
    pass.batch->watched->weights = weights_of(pass.batch->watched->head, x, memory, mask, pass);
  // In training on the CPU: one kernel for all heads, instead of `attend`.
  if (const auto heads =
          fast::concatenated_heads(*scores_, {query_, key_, value_, heads_}, x, memory, mask, {pass, site(), dropout_}))
    return output_(*heads, pass);
  return attend(x, project(memory, pass), mask, pass);
}

KeysAndValues MultiHeadAttentionImpl::project(const at::Tensor& memory, const Pass& pass) {
  return {split_heads(key_(memory, pass)), split_heads(value_(memory, pass))};  // [B, H, S, d_k] each
}

at::Tensor MultiHeadAttentionImpl::attend(const at::Tensor& x, const KeysAndValues& attended, const Mask& mask,
                                          const Pass& pass) {
  const AttentionContext context{pass, site(), dropout_};
  const auto& [key, value] = attended;
  const auto query = split_heads(query_(x, pass));  // [B, H, T, d_k]
  // LibTorch's fused attention; the equation in a plain pass, with a probe, and with dropout on the CPU.
  auto heads = fast::attention(*scores_, query, key, value, mask, context);  // [B, H, T, d_k]
  if (!heads) heads = attend_by_scores(scores_(query, key), value, mask, context);
  return output_(concat(*heads), pass);  // Concat(head_1, ..., head_H) W^O, [B, T, D]
}

at::Tensor MultiHeadAttentionImpl::weights_of(std::int64_t head, const at::Tensor& x, const at::Tensor& memory,
                                              const Mask& mask, const Pass& pass) const {
  const auto d_k = query_->weight().size(0) / heads_;
  const auto map = [&](const Linear& linear, const at::Tensor& input) {
    const auto weight = rounded_weight(linear->weight(), pass.int8).narrow(0, head * d_k, d_k);
    return at::linear(rounded_inputs(input, pass.int8), weight, linear->bias().narrow(0, head * d_k, d_k)).unsqueeze(1);
  };
  return attention_weights(scaled_dot_scores(map(query_, x), map(key_, memory)), mask).squeeze(1);
}

at::Tensor MultiHeadAttentionImpl::split_heads(const at::Tensor& x) const {
  return x.unflatten(-1, {heads_, -1}).transpose(1, 2);
}

at::Tensor MultiHeadAttentionImpl::concat(const at::Tensor& heads) { return heads.transpose(1, 2).flatten(2); }

}  // namespace gloss
