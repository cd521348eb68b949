#pragma once

#include <ATen/core/Tensor.h>

#include "model/mask.h"

namespace gloss {

/// `attention` without a probe and without dropout, as one operation of LibTorch that never holds the weights
/// [B, H, T, S] (Dao et al. 2022, "FlashAttention"). Equal to the equation to rounding, forward and gradient; where a
/// query sees nothing the result and its gradient are zero. Throws ShapeError where the shapes do not agree or the mask
/// does not fit them.
at::Tensor fused_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const Mask& mask);

}  // namespace gloss
