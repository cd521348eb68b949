#include "model/multi_head_attention.h"

#include <utility>
#include <vector>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>

#include "common/error.h"
#include "model/attention.h"
#include "model/fast/fused_attention.h"
#include "model/fast/kernel_attention.h"
#include "model/fast/linear_map.h"
#include "tensor/shape.h"

namespace gloss {

namespace {

// Several linear maps of x [B, T, D] as one product: their outputs side by side.
at::Tensor project_together(const std::vector<Linear>& maps, const at::Tensor& x) {
  std::vector<at::Tensor> weights, biases;
  for (const auto& map : maps) {
    weights.push_back(map->weight());
    biases.push_back(map->bias());
  }
  return linear_map(x, at::cat(weights), at::cat(biases));
}

}  // namespace

MultiHeadAttentionImpl::MultiHeadAttentionImpl(std::int64_t d_model, std::int64_t heads, double dropout,
                                               std::string site)
    : d_model_(d_model), heads_(heads), dropout_(dropout), site_(std::move(site)) {
  if (heads < 1 || d_model % heads != 0) {
    throw ShapeError(site_ + ": wanted heads that divide d_model " + std::to_string(d_model) + ", got " +
                     std::to_string(heads));
  }
  query_ = register_module("query", Linear(d_model, d_model));
  key_ = register_module("key", Linear(d_model, d_model));
  value_ = register_module("value", Linear(d_model, d_model));
  output_ = register_module("output", Linear(d_model, d_model));
}

at::Tensor MultiHeadAttentionImpl::forward(const at::Tensor& x, const at::Tensor& memory, const Mask& mask,
                                           const Pass& pass) {
  expect_shape(x, {-1, -1, d_model_}, "x");
  expect_shape(memory, {-1, -1, d_model_}, "memory");
  // Side by side the weights are copied, which pays where a batch is trained on.
  if (!at::GradMode::is_enabled() || !has_kernel_attention(x, memory.size(1), mask, pass))
    return attend(x, project(memory), mask, pass);
  const AttentionContext context{pass, site_, dropout_};
  if (x.is_same(memory))
    return output_(kernel_self_attention(project_together({query_, key_, value_}, x), heads_, mask, context));
  const auto keys_and_values = project_together({key_, value_}, memory);  // [B, S, 2D]
  return output_(kernel_cross_attention(query_(x), keys_and_values, heads_, mask, context));
}

KeysAndValues MultiHeadAttentionImpl::project(const at::Tensor& memory) {
  expect_shape(memory, {-1, -1, d_model_}, "memory");
  return {split_heads(key_(memory)), split_heads(value_(memory))};
}

at::Tensor MultiHeadAttentionImpl::attend(const at::Tensor& x, const KeysAndValues& memory, const Mask& mask,
                                          const Pass& pass) {
  expect_shape(x, {-1, -1, d_model_}, "x");
  const auto query = split_heads(query_(x));  // [B, H, T, d_k]
  const auto how = needs_weights(pass, dropout_, x.device()) ? attention : fused_attention;
  const auto heads = how(query, memory.key, memory.value, mask, {pass, site_, dropout_});  // [B, H, T, d_k]
  return output_(join_heads(heads));                                                       // [B, T, D]
}

at::Tensor MultiHeadAttentionImpl::split_heads(const at::Tensor& x) const {
  return x.view({x.size(0), x.size(1), heads_, d_model_ / heads_}).transpose(1, 2);
}

at::Tensor MultiHeadAttentionImpl::join_heads(const at::Tensor& x) const {
  return x.transpose(1, 2).reshape({x.size(0), x.size(2), d_model_});
}

}  // namespace gloss
