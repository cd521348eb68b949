#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>
#include <torch/nn/pimpl.h>

#include "model/linear.h"
#include "model/mask.h"
#include "model/pass.h"
#include "model/scores.h"

namespace gloss {

/// Keys and values of one attention, split into heads, [B, H, S, d_k] each.
struct KeysAndValues {
  at::Tensor key, value;
};

/// Multi-head attention (section 3.2.2), d_k = D / H:
///
///     MultiHead(Q, K, V) = Concat(head_1, ..., head_H) W^O,   head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V)
///
/// K and V are one tensor: Q itself (self-attention) or the memory (cross-attention). Each map also has a bias, as in
/// the Annotated Transformer. One weight [D, D] holds all heads: rows (i - 1) d_k to i d_k - 1 of the queries' weight
/// are (W_i^Q)^T; keys and values likewise.
class MultiHeadAttentionImpl final : public SitedModule {
 public:
  /// `heads` divides d_model; `dropout` is on the weights, as in the Annotated Transformer.
  MultiHeadAttentionImpl(std::int64_t d_model, std::int64_t heads, double dropout, Scores scores = scaled_dot());

  /// Maps x [B, T, D], which attends to memory [B, S, D], to [B, T, D].
  at::Tensor forward(const at::Tensor& x, const at::Tensor& memory, const Mask& mask, const Pass& pass);

  /// The two halves of `forward`: `project` computes keys and values of the memory [B, S, D], `attend` the attention of
  /// x [B, T, D] to them, [B, T, D]. A cache stores the result of the first (model/decoder_cache.cpp).
  KeysAndValues project(const at::Tensor& memory, const Pass& pass);
  at::Tensor attend(const at::Tensor& x, const KeysAndValues& attended, const Mask& mask, const Pass& pass);

 private:
  /// Returns the weights of one head alone, [B, T, S].
  at::Tensor weights_of(std::int64_t head, const at::Tensor& x, const at::Tensor& memory, const Mask& mask,
                        const Pass& pass) const;
  at::Tensor split_heads(const at::Tensor& x) const;  ///< [B, T, D] to [B, H, T, d_k]
  static at::Tensor concat(const at::Tensor& heads);  ///< [B, H, T, d_k] to [B, T, D]

  Linear query_, key_, value_, output_;
  Scores scores_;
  std::int64_t heads_;
  double dropout_;
};
TORCH_MODULE(MultiHeadAttention);

}  // namespace gloss
