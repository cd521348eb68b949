#pragma once

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

}  // namespace gloss
