#include "model/fast/fast_attention.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <torch/csrc/autograd/custom_function.h>

#include "common/error.h"
#include "kernels/kernel_table.h"
#include "model/fast/fast_dropout.h"
#include "tensor/shape.h"

namespace gloss {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Returns whether all of S keys may be hidden from some of T queries.
bool may_hide_all_keys(const Mask& mask, std::int64_t T, std::int64_t S) {
  return mask.hidden().defined() || (mask.is_causal() && T > S) || std::ranges::count(mask.lengths(), 0) > 0;
}

// An empty tensor in place of the memory in self-attention: autograd takes no undefined tensor.
at::Tensor absent(const at::Tensor& projected) { return at::empty({0}, projected.options().requires_grad(false)); }
bool is_absent(const at::Tensor& memory) { return memory.dim() == 1; }

/// Addresses of the queries, keys and values of all heads.
struct Projections {
  Projections(const at::Tensor& projected, const at::Tensor& memory, std::int64_t head_count) : heads(head_count) {
    const bool own = is_absent(memory);
    B = projected.size(0), T = projected.size(1), D = own ? projected.size(2) / 3 : projected.size(2);
    S = own ? T : memory.size(1);
    query_stride = projected.size(2), key_stride = own ? 3 * D : 2 * D;
    query = projected.const_data_ptr<float>();
    key = own ? query + D : memory.const_data_ptr<float>();
    value = key + D;
  }

  std::int64_t d_k() const { return D / heads; }
  kernels::Rows queries(std::int64_t b, std::int64_t h) const {
    return {query + b * T * query_stride + h * d_k(), query_stride};
  }
  kernels::Rows keys(std::int64_t b, std::int64_t h) const {
    return {key + b * S * key_stride + h * d_k(), key_stride};
  }
  kernels::Rows values(std::int64_t b, std::int64_t h) const {
    return {value + b * S * key_stride + h * d_k(), key_stride};
  }

  std::int64_t B, T, S, D, heads, query_stride, key_stride;
  const float *query, *key, *value;
};

/// The mask and the dropout of the loop.
struct LoopSettings {
  std::vector<std::int64_t> lengths;  ///< of the keys; empty: all are visible
  bool causal = false;
  std::optional<kernels::DropoutMask> dropout;
};

/// Calls one(head, b, h, scratch) for each sentence and head.
template <typename One>
void for_each_head(const Projections& at, const LoopSettings& settings, const One& one) {
  const auto floats = static_cast<std::size_t>(kernels::attention_scratch(at.T, at.S, at.d_k()));
  at::parallel_for(0, at.B * at.heads, 1, [&](std::int64_t begin, std::int64_t end) {
    const auto scratch = std::make_unique_for_overwrite<float[]>(floats);
    for (std::int64_t i = begin; i < end; ++i) {
      const auto b = i / at.heads;
      const kernels::AttentionHead head{
          .T = at.T,
          .S = at.S,
          .d_k = at.d_k(),
          .visible = settings.lengths.empty() ? at.S : settings.lengths[static_cast<std::size_t>(b)],
          .causal = settings.causal,
          .dropout = settings.dropout ? &*settings.dropout : nullptr,
          .first = static_cast<std::uint64_t>(i * at.T * at.S)};
      one(head, b, i % at.heads, scratch.get());
    }
  });
}

class KernelAttention : public torch::autograd::Function<KernelAttention> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& projected, const at::Tensor& memory,
                            std::int64_t heads, const LoopSettings& settings) {
    const Projections at(projected, memory, heads);
    auto out = at::empty({at.B, at.T, at.D}, projected.options());
    const auto normalizers = at::empty({at.B, heads, at.T}, projected.options());
    auto* const to = out.mutable_data_ptr<float>();
    auto* const logs = normalizers.mutable_data_ptr<float>();
    for_each_head(at, settings, [&](const auto& head, std::int64_t b, std::int64_t h, float* scratch) {
      kernels::kernel_table().attention(head, at.queries(b, h), at.keys(b, h), at.values(b, h),
                                        {to + b * at.T * at.D + h * at.d_k(), at.D}, logs + (b * heads + h) * at.T,
                                        scratch);
    });
    context->save_for_backward({projected, memory, normalizers});
    context->saved_data["heads"] = heads;
    context->saved_data["lengths"] = settings.lengths;
    context->saved_data["causal"] = settings.causal;
    context->saved_data["dropout"] = settings.dropout.has_value();
    if (settings.dropout) keep(*context, *settings.dropout);
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const auto &projected = saved[0], &memory = saved[1];
    LoopSettings settings{context->saved_data["lengths"].toIntVector(), context->saved_data["causal"].toBool(), {}};
    if (context->saved_data["dropout"].toBool()) settings.dropout = kept_mask(*context);
    const Projections at(projected, memory, context->saved_data["heads"].toInt());

    const auto from = gradients[0].contiguous();  // [B, T, D]
    const auto of_projected = at::empty_like(projected);
    const auto of_memory = at::empty_like(memory);
    const Projections of(of_projected, of_memory, at.heads);
    const auto writable = [](kernels::Rows rows) {
      return kernels::MutableRows{const_cast<float*>(rows.data), rows.stride};
    };
    const auto* const logs = saved[2].const_data_ptr<float>();
    for_each_head(at, settings, [&](const auto& head, std::int64_t b, std::int64_t h, float* scratch) {
      kernels::kernel_table().attention_backward(
          head, at.queries(b, h), at.keys(b, h), at.values(b, h),
          {from.const_data_ptr<float>() + b * at.T * at.D + h * at.d_k(), at.D}, logs + (b * at.heads + h) * at.T,
          {writable(of.queries(b, h)), writable(of.keys(b, h)), writable(of.values(b, h))}, scratch);
    });
    return {of_projected, is_absent(memory) ? at::Tensor() : of_memory, {}, {}};
  }
};

void expect_heads(std::int64_t width, std::int64_t of) {
  if (of > 0 && width % of == 0) return;
  throw ShapeError("projected: wanted a width that is a multiple of " + std::to_string(of) + ", got " +
                   std::to_string(width));
}

at::Tensor apply(const at::Tensor& projected, const at::Tensor& memory, std::int64_t heads, const Mask& mask,
                 const AttentionContext& context) {
  LoopSettings settings{mask.lengths(), mask.is_causal(), {}};
  if (context.pass.training && context.dropout > 0)
    settings.dropout = dropout_mask(context.dropout, context.pass, std::string(context.site) + ".weights");
  return KernelAttention::apply(projected.contiguous(), memory.contiguous(), heads, settings);
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

at::Tensor kernel_self_attention(const at::Tensor& projected, std::int64_t heads, const Mask& mask,
                                 const AttentionContext& context) {
  const auto [B, T, width] = sizes<3>(projected, "projected");
  expect_heads(width, 3 * heads);
  mask.expect_fits(B, T);
  return apply(projected, absent(projected), heads, mask, context);
}

at::Tensor kernel_cross_attention(const at::Tensor& projected, const at::Tensor& memory, std::int64_t heads,
                                  const Mask& mask, const AttentionContext& context) {
  const auto [B, T, D] = sizes<3>(projected, "projected");
  expect_heads(D, heads);
  expect_shape(memory, {B, -1, 2 * D}, "memory");
  mask.expect_fits(B, memory.size(1));
  return apply(projected, memory, heads, mask, context);
}

}  // namespace gloss
