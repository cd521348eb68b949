#pragma once

#include <ATen/core/Tensor.h>

#include "model/mask.h"
#include "model/pass.h"

namespace gloss {

/// `attention` without a probe, as one operation of LibTorch that never holds the weights [B, H, T, S] (Dao et al.
/// 2022, "FlashAttention"). Equal to the equation to rounding, forward and gradient; where a query sees nothing the
/// result and its gradient are zero. Weights are dropped in training by LibTorch (`torch_dropout`), others than the
/// equation drops; on the CPU that holds the weights. Throws ShapeError where the shapes do not agree or the mask does
/// not fit them.
at::Tensor fused_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const Mask& mask,
                           const AttentionContext& context);

}  // namespace gloss
