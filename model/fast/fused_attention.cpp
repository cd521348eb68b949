#include "model/fast/fused_attention.h"

#include <algorithm>
#include <string>

#include <ATen/ops/scaled_dot_product_attention.h>

#include "model/fast/torch_dropout.h"
#include "tensor/shape.h"

namespace gloss {
namespace {

// Returns whether all of S keys may be hidden from some of T queries.
bool may_hide_all_keys(const Mask& mask, std::int64_t T, std::int64_t S) {
  return mask.hidden().defined() || (mask.is_causal() && T > S) || std::ranges::count(mask.lengths(), 0) > 0;
}

}  // namespace

at::Tensor fused_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const Mask& mask,
                           const AttentionContext& context) {
  const auto [B, H, T, d_k] = sizes<4>(query, "query");
  expect_shape(key, {B, H, -1, d_k}, "key");
  const auto S = key.size(2);
  expect_shape(value, {B, H, S, d_k}, "value");
  mask.expect_fits(B, S);

  const double p = context.pass.training ? context.dropout : 0;
  if (p > 0) seed_torch_generator(query.device(), context.pass.stream(std::string(context.site) + ".weights"));
  if (mask.all_visible(T, S)) return at::scaled_dot_product_attention(query, key, value, {}, p);
  if (mask.is_causal() && T == S && !mask.hides_keys(S)) {
    return at::scaled_dot_product_attention(query, key, value, {}, p, /*is_causal=*/true);
  }
  const auto visible = mask.visible(T, S, query.device());  // [B or 1, 1, T or 1, S]
  if (!may_hide_all_keys(mask, T, S)) return at::scaled_dot_product_attention(query, key, value, visible, p);

  // A query without visible keys attends to all keys, and its result is set to zero: no NaN, and no gradient.
  const auto blind = visible.any(-1, /*keepdim=*/true).logical_not();  // [B or 1, 1, T or 1, 1]
  return at::scaled_dot_product_attention(query, key, value, visible.logical_or(blind), p).masked_fill(blind, 0);
}

}  // namespace gloss
