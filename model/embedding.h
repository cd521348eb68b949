#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "model/model_config.h"
#include "model/pass.h"

namespace gloss {

/// Token embeddings (section 3.4): row `id` of the weight [V, D], times sqrt(D). Initial weights have the deviation
/// D^-0.5, so the product has deviation 1, of the order of the sinusoids added to it (root mean square sqrt(1/2)):
/// neither dominates the other. With EmbeddingScale::kOne the row itself is returned.
class EmbeddingImpl : public torch::nn::Module {
 public:
  EmbeddingImpl(std::int64_t vocabulary, std::int64_t d_model, EmbeddingScale scale = EmbeddingScale::kSqrt);

  /// Maps ids [B, T] int64, 0 <= id < V, to [B, T, D]. Throws ShapeError unless ids has two dimensions; an id outside
  /// the vocabulary is LibTorch's error.
  virtual at::Tensor forward(const at::Tensor& ids, const Pass& pass);

  const at::Tensor& weight() const { return weight_; }  ///< [V, D]

 private:
  at::Tensor weight_;
  EmbeddingScale scale_;
};
TORCH_MODULE(Embedding);

}  // namespace gloss
