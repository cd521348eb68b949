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

/// Keys and values of one attention, split into heads, [B, H, S, d_k] each.
struct KeysAndValues {
  at::Tensor key, value;
};

/// Multi-head attention (section 3.2.2), d_k = D / H:
///
///     MultiHead(Q, K, V) = Concat(head_1, ..., head_H) W^O,   head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V)
///
/// K and V are one tensor: Q itself (self-attention) or the memory (cross-attention). One map [D, D] computes all
/// queries: W_1^Q to W_H^Q stand side by side in it; keys and values likewise.
class MultiHeadAttentionImpl : public torch::nn::Module {
 public:
  /// `heads` divides d_model; `dropout` is on the weights, as in the Annotated Transformer. `site`: model/pass.h.
  MultiHeadAttentionImpl(std::int64_t d_model, std::int64_t heads, double dropout, std::string site);

  /// Maps x [B, T, D], which attends to memory [B, S, D], to [B, T, D].
  at::Tensor forward(const at::Tensor& x, const at::Tensor& memory, const Mask& mask, const Pass& pass);

  /// The two halves of `forward`: `project` computes keys and values of the memory [B, S, D], `attend` the attention of
  /// x [B, T, D] to them, [B, T, D]. A cache stores the result of the first (model/decoder_step.cpp).
  KeysAndValues project(const at::Tensor& memory, const Pass& pass);
  at::Tensor attend(const at::Tensor& x, const KeysAndValues& attended, const Mask& mask, const Pass& pass);

 private:
  at::Tensor split_heads(const at::Tensor& x) const;  ///< [B, T, D] to [B, H, T, d_k]
  at::Tensor concat(const at::Tensor& heads) const;   ///< [B, H, T, d_k] to [B, T, D]

  Linear query_{nullptr}, key_{nullptr}, value_{nullptr}, output_{nullptr};
  std::int64_t d_model_;
  std::int64_t heads_;
  double dropout_;
  std::string site_;
};
TORCH_MODULE(MultiHeadAttention);

}  // namespace gloss
