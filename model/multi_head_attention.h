#pragma once

#include <cstdint>
#include <string>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "model/alternatives/relative_positions.h"
#include "model/alternatives/score_function.h"
#include "model/linear.h"
#include "model/mask.h"
#include "model/model_config.h"
#include "model/pass.h"

namespace gloss {

/// Keys and values of one attention, split into heads, [B, H, S, d_k] each.
struct KeysAndValues {
  at::Tensor key, value;
};

/// Parts of an attention that differ from the paper (model/alternatives).
struct AttentionAlternatives {
  ScoreFunction score{nullptr};         ///< null: the scaled dot product
  bool rotary = false;                  ///< rotates queries and keys by their positions; self-attention only
  RelativePositions relative{nullptr};  ///< of the stack, which registers it; may be null. Self-attention only
};

/// Multi-head attention (section 3.2.2), d_k = D / H:
///
///     MultiHead(Q, K, V) = Concat(head_1, ..., head_H) W^O,   head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V)
///
/// K and V are one tensor: Q itself (self-attention) or the memory (cross-attention). Each map also has a bias, as in
/// the Annotated Transformer. One weight [D, D] holds all heads: rows (i - 1) d_k to i d_k - 1 of the queries' weight
/// are (W_i^Q)^T; keys and values likewise.
class MultiHeadAttentionImpl : public torch::nn::Module {
 public:
  /// `heads` divides d_model; `dropout` is on the weights, as in the Annotated Transformer. `site`: model/pass.h.
  MultiHeadAttentionImpl(std::int64_t d_model, std::int64_t heads, double dropout, std::string site,
                         AttentionAlternatives alternatives = {});

  /// Maps x [B, T, D], which attends to memory [B, S, D], to [B, T, D].
  at::Tensor forward(const at::Tensor& x, const at::Tensor& memory, const Mask& mask, const Pass& pass);

  /// The two halves of `forward`: `project` computes keys and values of the memory [B, S, D], `attend` the attention of
  /// x [B, T, D] to them, [B, T, D]. A cache stores the result of the first (model/decoder_step.cpp). Row 0 of the
  /// memory is at position `first`, which matters for rotary positions only; the rows of x are at the last positions of
  /// those attended to.
  KeysAndValues project(const at::Tensor& memory, const Pass& pass, std::int64_t first = 0);
  at::Tensor attend(const at::Tensor& x, const KeysAndValues& attended, const Mask& mask, const Pass& pass);

 private:
  at::Tensor split_heads(const at::Tensor& x) const;  ///< [B, T, D] to [B, H, T, d_k]
  at::Tensor concat(const at::Tensor& heads) const;   ///< [B, H, T, d_k] to [B, T, D]
  bool is_scaled_dot() const;                         ///< the paper's attention, without alternatives
  /// Computes the scores [B, H, T, S] by the alternatives.
  at::Tensor scores(const at::Tensor& query, const at::Tensor& key);

  Linear query_{nullptr}, key_{nullptr}, value_{nullptr}, output_{nullptr};
  std::int64_t d_model_;
  std::int64_t heads_;
  double dropout_;
  std::string site_;
  AttentionAlternatives alternatives_;
};
TORCH_MODULE(MultiHeadAttention);

/// Return the attentions of a layer of `config`; `site` is the layer's.
MultiHeadAttention make_self_attention(const ModelConfig& config, const std::string& site,
                                       const RelativePositions& relative);
MultiHeadAttention make_cross_attention(const ModelConfig& config, const std::string& site);

}  // namespace gloss
