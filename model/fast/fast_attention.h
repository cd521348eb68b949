#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "model/attention.h"
#include "model/mask.h"
#include "model/pass.h"

namespace gloss {

/// Computes `attention` by one operator of LibTorch that never stores the weights [B, H, T, S] (Dao et al. 2022,
/// "FlashAttention"). Equal to the equation to rounding, forward and gradient. The result of a query without visible
/// keys is zero, and so is its gradient. In training LibTorch drops weights (`torch_dropout`): other ones than the
/// equation drops, and on the CPU it stores the weights for that. Throws ShapeError if the shapes do not agree or the
/// mask does not fit them.
at::Tensor fused_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const Mask& mask,
                           const AttentionContext& context);

/// Computes `attention` of all heads, with dropout, in one loop over sentences and heads. It reads the projections and
/// writes the concatenated heads; it stores no weights and no masks. Equal to the equation to rounding, forward and
/// gradient, with the same weights dropped. Float32 on the CPU.
///
/// Self-attention: `projected` [B, T, 3D] holds queries, keys and values side by side. Cross-attention: `projected`
/// [B, T, D] holds the queries, `memory` [B, S, 2D] keys and values. Returns [B, T, D]. Throws ShapeError if shapes,
/// heads or mask do not fit.
at::Tensor kernel_self_attention(const at::Tensor& projected, std::int64_t heads, const Mask& mask,
                                 const AttentionContext& context);
at::Tensor kernel_cross_attention(const at::Tensor& projected, const at::Tensor& memory, std::int64_t heads,
                                  const Mask& mask, const AttentionContext& context);

}  // namespace gloss
