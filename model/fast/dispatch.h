#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <ATen/core/Tensor.h>

#include "model/attention.h"
#include "model/linear.h"
#include "model/mask.h"
#include "model/pass.h"
#include "model/scores.h"

/// The one place that decides, in forward passes and training, whether a fast twin computes an equation of model/. Each
/// function returns the twin's result, or std::nullopt: then the equation itself runs. In a plain pass all of them
/// return std::nullopt. Twins agree with their equations to rounding, forward and gradient. A new kind of layer needs
/// no fast twin.
namespace gloss::fast {

/// Returns whether x is float32 on the CPU, which the kernels of gloss require.
bool has_kernels(const at::Tensor& x);

/// Computes x W^T + b (model/linear.h), without b if it is undefined: by block products while x or W has a gradient on
/// the CPU, else by LibTorch's operator.
std::optional<at::Tensor> linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                                 const Pass& pass);

/// Computes dropout(max(0, x W^T + b)) of model/feed_forward.h, in training on the CPU.
std::optional<at::Tensor> linear_relu_dropout(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                                              double p, const Pass& pass, std::string_view site);

/// Computes the equation of model/layer_norm.h by LibTorch's operator.
std::optional<at::Tensor> layer_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                                     double epsilon, const Pass& pass);

/// Computes the dropout of model/dropout.h in a training pass, 0 < p < 1: by a kernel on the CPU, by LibTorch's
/// generator on a GPU.
std::optional<at::Tensor> dropout(const at::Tensor& x, double p, const Pass& pass, std::string_view site);
/// Computes residual + dropout(x) in one kernel.
std::optional<at::Tensor> dropout_and_add(const at::Tensor& residual, const at::Tensor& x, double p, const Pass& pass,
                                          std::string_view site);

/// Computes the equation of model/attention.h by LibTorch's fused operator: for scores of the paper, without a probe,
/// and without dropout on the CPU.
std::optional<at::Tensor> attention(const ScoresImpl& scores, const at::Tensor& query, const at::Tensor& key,
                                    const at::Tensor& value, const Mask& mask, const AttentionContext& context);

/// The maps of queries, keys and values of a multi-head attention.
struct AttentionMaps {
  const Linear &query, &key, &value;
  std::int64_t heads;
};

/// Computes Concat(head_1, ..., head_H) of model/multi_head_attention.h in one kernel. x [B, T, D] attends to memory
/// [B, S, D]; returns [B, T, D]. Used for scores of the paper while gradients are recorded, on the CPU, for at most 512
/// positions, without a probe, and if the mask hides only padding and later positions.
std::optional<at::Tensor> concatenated_heads(const ScoresImpl& scores, const AttentionMaps& maps, const at::Tensor& x,
                                             const at::Tensor& memory, const Mask& mask,
                                             const AttentionContext& context);

}  // namespace gloss::fast
