#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "model/feed_forward.h"
#include "model/layer_norm.h"
#include "model/mask.h"
#include "model/model_config.h"
#include "model/multi_head_attention.h"
#include "model/pass.h"
#include "model/sublayer_connection.h"

namespace gloss {

/// One layer of the encoder (section 3.1): self-attention, then feed-forward.
class EncoderLayerImpl : public SitedModule {
 public:
  /// `scores`: of self-attention.
  explicit EncoderLayerImpl(const ModelConfig& config, Scores scores = scaled_dot());

  /// Maps x [B, S, D] to [B, S, D].
  at::Tensor forward(const at::Tensor& x, const Mask& mask, const Pass& pass);

 private:
  MultiHeadAttention self_attention_;
  FeedForward feed_forward_;
  SublayerConnection self_attention_connection_, feed_forward_connection_;
  bool norms_keys_;  ///< model.self_attention_norm
};
TORCH_MODULE(EncoderLayer);

/// The encoder (section 3.1): a stack of layers, and a final norm if ModelConfig::has_final_norm() (Xiong et al. 2020).
/// Another architecture derives its encoder from this class.
class EncoderImpl : public torch::nn::Module {
 public:
  explicit EncoderImpl(const ModelConfig& config);

  /// Maps x [B, S, D], embeddings plus positions, to the memory [B, S, D]; `mask` is over the S positions.
  virtual at::Tensor forward(const at::Tensor& x, const Mask& mask, const Pass& pass);

  std::int64_t d_model() const { return d_model_; }

 protected:
  explicit EncoderImpl(std::int64_t d_model) : d_model_(d_model) {}  ///< without layers

 private:
  std::int64_t d_model_;
  bool is_causal_ = false;  ///< model.encoder_mask
  std::vector<EncoderLayer> layers_;
  Norm norm_{nullptr};
};
TORCH_MODULE(Encoder);

}  // namespace gloss
