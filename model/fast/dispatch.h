#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <ATen/core/Tensor.h>

#include "model/attention.h"
#include "model/mask.h"
#include "model/pass.h"

/// The one place that decides, in forward passes and training, whether a fast twin computes an equation of model/.
/// Each function returns the twin's result, or std::nullopt: then the equation itself runs. In a plain pass all of them
/// return std::nullopt. Twins agree with their equations to rounding, forward and gradient. A new kind of layer needs
/// none of this.
namespace gloss::fast {

/// Returns whether x is float32 on the CPU, which the kernels of gloss require.
bool has_kernels(const at::Tensor& x);

/// x W^T + b (model/linear.h), or without b where it is undefined: block products while x or W has a gradient on the
/// CPU, else LibTorch's operator.
std::optional<at::Tensor> linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                                 const Pass& pass);

/// dropout(max(0, x W^T + b)) of model/feed_forward.h, in training on the CPU.
std::optional<at::Tensor> linear_relu_dropout(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                                              double p, const Pass& pass, std::string_view site);

/// model/layer_norm.h by LibTorch's operator.
std::optional<at::Tensor> layer_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                                     double epsilon, const Pass& pass);

/// model/dropout.h in a training pass, 0 < p < 1: a kernel on the CPU, LibTorch's generator on a GPU.
std::optional<at::Tensor> dropout(const at::Tensor& x, double p, const Pass& pass, std::string_view site);
/// residual + dropout(x) in one kernel.
std::optional<at::Tensor> dropout_and_add(const at::Tensor& residual, const at::Tensor& x, double p, const Pass& pass,
                                          std::string_view site);

/// model/attention.h by LibTorch's fused operator: without a probe, and without dropout on the CPU.
std::optional<at::Tensor> attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                    const Mask& mask, const AttentionContext& context);

/// A weight W [out, in] and a bias b [out].
struct WeightAndBias {
  const at::Tensor &weight, &bias;
};

/// Concat(head_1, ..., head_H) of model/multi_head_attention.h, x [B, T, D] attending to memory [B, S, D], as one
/// kernel: [B, T, D]. While gradients are recorded, on the CPU, for at most 512 positions, without a probe, and where
/// the mask hides nothing but padding and later positions.
std::optional<at::Tensor> concatenated_heads(const at::Tensor& x, const at::Tensor& memory, const WeightAndBias& query,
                                             const WeightAndBias& key, const WeightAndBias& value, std::int64_t heads,
                                             const Mask& mask, const AttentionContext& context);

}  // namespace gloss::fast
