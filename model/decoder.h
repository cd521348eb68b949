#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "model/decoder_cache.h"
#include "model/feed_forward.h"
#include "model/layer_norm.h"
#include "model/mask.h"
#include "model/model_config.h"
#include "model/multi_head_attention.h"
#include "model/pass.h"
#include "model/sublayer_connection.h"

namespace gloss {

/// One layer of the decoder (section 3.1): self-attention to the positions so far, cross-attention to the memory, then
/// feed-forward. An alternative derives from it and has another sublayer in the place of self-attention.
class DecoderLayerImpl : public SitedModule {
 public:
  /// `scores`: of self-attention.
  explicit DecoderLayerImpl(const ModelConfig& config, Scores scores = scaled_dot());

  /// Maps x [B, T, D] to [B, T, D]; `mask` is over the T positions.
  at::Tensor forward(const at::Tensor& x, const Memory& memory, const Mask& mask, const Pass& pass);

  /// Starts decoding token by token: maps the memory [B, S, D] to its keys and values [B, H, S, d_k], once for each
  /// sentence.
  virtual LayerCache start(const at::Tensor& memory, const Pass& pass);
  /// Maps the next position x [B * K, 1, D] to [B * K, 1, D]. Its key and value, or its state, go into layer `index` of
  /// the cache.
  at::Tensor step(const at::Tensor& x, DecoderCache& cache, std::size_t index, const Pass& pass);

 protected:
  /// `first`: the first sublayer, which is registered as `name`.
  DecoderLayerImpl(const ModelConfig& config, const std::string& name, const std::shared_ptr<SitedModule>& first);

 private:
  /// Compute the first sublayer, of all positions and of the next one. `keys`: the input of keys and values.
  virtual at::Tensor self_attention(const at::Tensor& input, const at::Tensor& keys, const Mask& mask,
                                    const Pass& pass);
  virtual at::Tensor self_attention_step(const at::Tensor& input, const at::Tensor& keys, DecoderCache& cache,
                                         std::size_t index, const Pass& pass);

  MultiHeadAttentionImpl* self_attention_;  ///< null if the first sublayer is an alternative
  MultiHeadAttention cross_attention_;
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

 private:
  at::Tensor finish(const at::Tensor& x, const Pass& pass);  ///< after the last layer

  std::int64_t d_model_;
  std::vector<DecoderLayer> layers_;
  Norm norm_{nullptr};
};
TORCH_MODULE(Decoder);

}  // namespace gloss
