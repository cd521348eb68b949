#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "model/attention.h"
#include "model/mask.h"
#include "model/pass.h"

namespace gloss {

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
