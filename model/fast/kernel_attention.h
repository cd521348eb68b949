#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "model/mask.h"
#include "model/pass.h"

namespace gloss {

/// Whether `kernel_attention` can do what `attention` would: float32 on the CPU, sentences of at most 512 positions, no
/// probe that wants to see the weights, nothing hidden but padding and what is later.
bool has_kernel_attention(const at::Tensor& x, std::int64_t S, const Mask& mask, const Pass& pass);

/// `attention` of all heads, with dropout, as one loop over sentences and heads that keeps neither weights nor masks,
/// straight from the projections and to the concatenated heads. Equal to the equation to rounding, forward and
/// gradient, with the same weights dropped.
///
/// Self-attention: `projected` [B, T, 3D] holds queries, keys and values side by side. Cross-attention: `projected`
/// [B, T, D] holds the queries, `memory` [B, S, 2D] keys and values. Returns [B, T, D]. Throws ShapeError where shapes,
/// heads or mask do not fit.
at::Tensor kernel_self_attention(const at::Tensor& projected, std::int64_t heads, const Mask& mask,
                                 const AttentionContext& context);
at::Tensor kernel_cross_attention(const at::Tensor& projected, const at::Tensor& memory, std::int64_t heads,
                                  const Mask& mask, const AttentionContext& context);

}  // namespace gloss
