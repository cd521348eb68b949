#include "model/attention.h"

#include <cmath>
#include <string>

#include <ATen/TensorOperators.h>

#include "model/dropout.h"
#include "tensor/half_precision.h"
#include "tensor/shape.h"

namespace gloss {
namespace {

// M of a hidden key: below every score but finite. With -inf, the softmax of a row without visible keys would be NaN,
// and its gradient too; such a row is an empty source, or a probe that hides all of it. Hidden weights are set to zero
// after the softmax.
constexpr float kHidden = -1e30F;

}  // namespace

at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const Mask& mask,
                     const AttentionContext& context) {
  const auto scores = scaled_dot_scores(query, key);  // [B, H, T, S]
  expect_shape(value, {key.size(0), key.size(1), key.size(2), key.size(3)}, "value");
  return attend_by_scores(scores, value, mask, context);
}

at::Tensor scaled_dot_scores(const at::Tensor& query, const at::Tensor& key) {
  const auto [B, H, T, d_k] = sizes<4>(query, "query");
  expect_shape(key, {B, H, -1, d_k}, "key");
  return query.matmul(key.transpose(-2, -1)) / std::sqrt(static_cast<double>(d_k));  // [B, H, T, S]
}

at::Tensor attention_weights(const at::Tensor& scores, const Mask& mask) {
  const auto [B, H, T, S] = sizes<4>(scores, "scores");
  mask.expect_fits(B, S);
  const auto exact = at_least_float(scores);
  if (mask.all_visible(T, S)) return exact.softmax(-1).to(scores.scalar_type());
  const auto hidden = mask.visible(T, S, scores.device()).logical_not();  // [B or 1, 1, T or 1, S]
  return exact.masked_fill(hidden, kHidden).softmax(-1).masked_fill(hidden, 0).to(scores.scalar_type());
}

at::Tensor attend_by_scores(const at::Tensor& scores, const at::Tensor& value, const Mask& mask,
                            const AttentionContext& context) {
  expect_dimensions(scores, 4, "scores");
  expect_shape(value, {scores.size(0), scores.size(1), scores.size(3), -1}, "value");
  auto weights = attention_weights(scores, mask);  // [B, H, T, S]
  if (context.pass.probe != nullptr) {
    if (weights.requires_grad()) weights = weights.clone();  // the probe may write; softmax's gradient reads its result
    context.pass.probe->attention(context.site, weights, value);
  }
  const auto kept = dropout(weights, context.dropout, context.pass, std::string(context.site) + ".weights");
  return kept.matmul(value);  // [B, H, T, d_k]
}

}  // namespace gloss
