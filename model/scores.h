#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

namespace gloss {

/// The scores of an attention: how well each key fits each query. They are the input of the softmax. The query and the
/// key are those of a head: x W^Q and memory W^K.
class ScoresImpl : public torch::nn::Module {
 public:
  /// Maps query [B, H, T, d_k] and key [B, H, S, d_k] to scores [B, H, T, S]. In self-attention the queries are at the
  /// last T of the S positions.
  virtual at::Tensor forward(const at::Tensor& query, const at::Tensor& key) = 0;
  /// Returns whether they are those of the paper, for which there are fast twins.
  virtual bool is_scaled_dot() const { return false; }
};
TORCH_MODULE(Scores);

/// Returns the scores of the paper, Q K^T / sqrt(d_k) (`scaled_dot_scores` of model/attention.h).
Scores scaled_dot();

}  // namespace gloss
