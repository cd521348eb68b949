#pragma once

#include <cstdint>
#include <string>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "model/linear.h"
#include "model/mask.h"
#include "model/pass.h"

namespace gloss {

/// Keys and values of one attention, projected and split into heads, each [B, H, S, d_k].
struct KeysAndValues {
  at::Tensor key, value;
};

/// Multi-head attention (section 3.2.2), d_k = D / H:
///
///     MultiHead(Q, K, V) = Concat(head_1, ..., head_H) W^O,   head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V)
///
/// Keys and values come from one place: the queries' own (self-attention) or the memory (cross-attention).
class MultiHeadAttentionImpl : public torch::nn::Module {
 public:
  /// `heads` divides d_model; `dropout` is on the weights. `site` is the prefix of the tensors' names.
  MultiHeadAttentionImpl(std::int64_t d_model, std::int64_t heads, double dropout, std::string site);

  /// x [B, T, D] attends to memory [B, S, D]: [B, T, D]. Three ways to the same numbers: while gradients are recorded
  /// on the CPU `kernel_attention`; else `fused_attention`; and `attention` by its equation where a probe looks on, or
  /// where weights are to be dropped and the kernel cannot.
  at::Tensor forward(const at::Tensor& x, const at::Tensor& memory, const Mask& mask, const Pass& pass);

  /// The two halves of `forward`: what a cache holds of the memory, and the attention of x [B, T, D] to it.
  KeysAndValues project(const at::Tensor& memory);
  at::Tensor attend(const at::Tensor& x, const KeysAndValues& memory, const Mask& mask, const Pass& pass);

 private:
  at::Tensor split_heads(const at::Tensor& x) const;  ///< [B, T, D] to [B, H, T, d_k]
  at::Tensor join_heads(const at::Tensor& x) const;   ///< [B, H, T, d_k] to [B, T, D]

  Linear query_{nullptr}, key_{nullptr}, value_{nullptr}, output_{nullptr};
  std::int64_t d_model_;
  std::int64_t heads_;
  double dropout_;
  std::string site_;
};
TORCH_MODULE(MultiHeadAttention);

}  // namespace gloss
