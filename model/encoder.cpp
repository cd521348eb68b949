#include "model/encoder.h"

#include <torch/nn/modules/container/modulelist.h>

#include "tensor/shape.h"

namespace gloss {

EncoderLayerImpl::EncoderLayerImpl(const ModelConfig& config, const std::string& site)
    : self_attention_(register_module(
          "self_attention",
          MultiHeadAttention(config.d_model, config.heads, config.dropout_on_attention(), site + ".self_attention"))),
      feed_forward_(
          register_module("feed_forward", FeedForward(config.d_model, config.d_ff, config.activation,
                                                      config.dropout_in_feed_forward(), site + ".feed_forward"))),
      self_attention_connection_(register_module("self_attention_norm", LayerNorm(config.d_model)), config.norm,
                                 config.dropout, site + ".self_attention"),
      feed_forward_connection_(register_module("feed_forward_norm", LayerNorm(config.d_model)), config.norm,
                               config.dropout, site + ".feed_forward"),
      site_(site) {}

at::Tensor EncoderLayerImpl::forward(const at::Tensor& x, const Mask& mask, const Pass& pass) {
  const auto after_self_attention = self_attention_connection_(
      x, [&](const at::Tensor& input) { return self_attention_(input, input, mask, pass); }, pass);  // [B, S, D]
  const auto result = feed_forward_connection_(
      after_self_attention, [&](const at::Tensor& input) { return feed_forward_(input, pass); }, pass);  // [B, S, D]
  if (pass.probe != nullptr) pass.probe->output(site_, result);
  return result;
}

EncoderImpl::EncoderImpl(const ModelConfig& config) : d_model_(config.d_model) {
  const auto layers = register_module("layers", torch::nn::ModuleList());
  for (std::int64_t i = 0; i < config.encoder_layers; ++i) {
    layers_.emplace_back(config, "encoder.layers." + std::to_string(i));
    layers->push_back(layers_.back());
  }
  if (config.has_final_norm()) norm_ = register_module("norm", LayerNorm(config.d_model));
}

at::Tensor EncoderImpl::forward(const at::Tensor& x, const Mask& mask, const Pass& pass) {
  const auto [B, S, D] = sizes<3>(x, "x");
  mask.expect_fits(B, S);
  const auto shared = mask.cached();  // all layers share its tensor
  auto memory = x;                    // [B, S, D]
  for (auto& layer : layers_) memory = layer(memory, shared, pass);
  if (norm_) memory = norm_(memory, pass);
  if (pass.probe != nullptr) pass.probe->output("encoder", memory);
  return memory;
}

}  // namespace gloss
