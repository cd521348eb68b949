#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "model/model_config.h"

namespace gloss {

/// A score of every key for every query, in place of the scaled dot product of model/attention.h. The query and the key
/// are those of a head: x W^Q and memory W^K.
class ScoreFunctionImpl : public torch::nn::Module {
 public:
  /// Maps query [B, H, T, d_k] and key [B, H, S, d_k] to scores [B, H, T, S], the input of the softmax.
  virtual at::Tensor forward(const at::Tensor& query, const at::Tensor& key) = 0;
};
TORCH_MODULE(ScoreFunction);

/// Returns the score function of `config`; null for the scaled dot product, which needs no module. A layer registers it
/// as "score".
ScoreFunction make_score_function(const ModelConfig& config);
/// Returns Bahdanau's score, which is also that of the recurrent decoder.
ScoreFunction make_additive_score(const ModelConfig& config);

}  // namespace gloss
