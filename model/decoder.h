#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "model/alternatives/ssru.h"
#include "model/decoder_cache.h"
#include "model/feed_forward.h"
#include "model/mask.h"
#include "model/model_config.h"
#include "model/multi_head_attention.h"
#include "model/norm.h"
#include "model/pass.h"
#include "model/sublayer_connection.h"

namespace gloss {

/// The encoder's output, to which the decoder attends.
struct Memory {
  at::Tensor value;  ///< [B, S, D]
  Mask mask;         ///< over its S positions
};

/// One layer of the decoder (section 3.1): self-attention to the positions so far, cross-attention to the memory, then
/// feed-forward. With model.decoder_layer ssru a recurrence takes the place of self-attention.
class DecoderLayerImpl : public torch::nn::Module {
 public:
  /// `site` (model/pass.h): "decoder.layers.0". `relative`: AttentionAlternatives (model/multi_head_attention.h).
  DecoderLayerImpl(const ModelConfig& config, const std::string& site, const RelativePositions& relative = nullptr);

  /// Maps x [B, T, D] to [B, T, D]; `mask` is over the T positions.
  at::Tensor forward(const at::Tensor& x, const Memory& memory, const Mask& mask, const Pass& pass);

  /// Starts decoding token by token (decoder_step.cpp): maps the memory [B, S, D] to its keys and values
  /// [B, H, S, d_k], once for each sentence.
  LayerCache start(const at::Tensor& memory, const Pass& pass);
  /// Maps the next position x [B * K, 1, D] to [B * K, 1, D]. Its key and value, or the state of the recurrence, go
  /// into layer `index` of the cache.
  at::Tensor step(const at::Tensor& x, DecoderCache& cache, std::size_t index, const Pass& pass);

 private:
  MultiHeadAttention self_attention_{nullptr};
  Ssru recurrence_{nullptr};  ///< in the place of self_attention_, which is null then
  MultiHeadAttention cross_attention_;
  FeedForward feed_forward_;
  SublayerConnection first_connection_;  ///< of self-attention or the recurrence
  SublayerConnection cross_attention_connection_, feed_forward_connection_;
  bool norms_keys_;  ///< model.self_attention_norm
  std::string site_;
};
TORCH_MODULE(DecoderLayer);

/// The decoder (section 3.1): a stack of layers, and a final norm if ModelConfig::has_final_norm() (Xiong et al. 2020).
/// Another architecture derives its decoder from this class
/// (model/alternatives/recurrent_decoder.h).
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

 private:
  at::Tensor finish(const at::Tensor& x, const Pass& pass);  ///< after the last layer

  std::int64_t d_model_;
  std::vector<DecoderLayer> layers_;
  Norm norm_{nullptr};
};
TORCH_MODULE(Decoder);

}  // namespace gloss
