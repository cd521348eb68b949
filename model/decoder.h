#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "model/decoder_cache.h"
#include "model/decoder_layer.h"
#include "model/feed_forward.h"
#include "model/mask.h"
#include "model/model_config.h"
#include "model/multi_head_attention.h"
#include "model/norm.h"
#include "model/pass.h"
#include "model/sublayer_connection.h"

namespace gloss {

/// One layer of the decoder (section 3.1): self-attention to the positions so far, cross-attention to the memory, then
/// feed-forward.
class DecoderLayerImpl final : public DecoderLayerBase {
 public:
  /// `scores`: of self-attention.
  explicit DecoderLayerImpl(const ModelConfig& config, Scores scores = scaled_dot());

  at::Tensor forward(const at::Tensor& x, const Memory& memory, const Mask& mask, const Pass& pass) override;
  LayerCache start(const at::Tensor& memory, const Pass& pass) override;
  at::Tensor step(const at::Tensor& x, DecoderCache& cache, std::size_t index, const Pass& pass) override;

 private:
  MultiHeadAttention self_attention_, cross_attention_;
  FeedForward feed_forward_;
  SublayerConnection self_attention_connection_, cross_attention_connection_, feed_forward_connection_;
  bool norms_keys_;  ///< model.self_attention_norm
};
TORCH_MODULE(DecoderLayer);

/// The decoder (section 3.1): a stack of layers, and a final norm if ModelConfig::has_final_norm() (Xiong et al. 2020).
/// Another architecture derives its decoder from this class.
class DecoderImpl : public torch::nn::Module {
 public:
  explicit DecoderImpl(const ModelConfig& config);

  /// Maps x [B, T, D], embeddings plus positions, to [B, T, D]; position t sees positions 0 to t only.
  virtual at::Tensor forward(const at::Tensor& x, const Memory& memory, const Pass& pass);

  /// Starts decoding token by token: returns a cache of one row for each sentence.
  virtual DecoderCache start(const Memory& memory, const Pass& pass);
  /// Maps the next position x [B * K, 1, D] of K rows for each sentence to [B * K, 1, D].
  virtual at::Tensor step(const at::Tensor& x, DecoderCache& cache, const Pass& pass);

  std::int64_t d_model() const { return d_model_; }

 protected:
  explicit DecoderImpl(std::int64_t d_model) : d_model_(d_model) {}  ///< without layers
  void add_layers(const ModelConfig& config, std::vector<std::shared_ptr<DecoderLayerBase>> layers);

 private:
  at::Tensor finish(const at::Tensor& x, const Pass& pass);  ///< after the last layer

  std::int64_t d_model_;
  std::vector<std::shared_ptr<DecoderLayerBase>> layers_;
  Norm norm_{nullptr};
};
TORCH_MODULE(Decoder);

}  // namespace gloss
