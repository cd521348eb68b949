#include "model/encoder.h"

#include <utility>

#include <torch/nn/modules/container/modulelist.h>

#include "model/make_model.h"
#include "tensor/shape.h"

namespace gloss {

EncoderLayerImpl::EncoderLayerImpl(const ModelConfig& config, Scores scores)
    : self_attention_(register_module("self_attention", make_attention(config, std::move(scores)))),
      feed_forward_(register_module("feed_forward", make_feed_forward(config, config.d_ff))),
      self_attention_connection_(*self_attention_, register_module("self_attention_norm", make_norm(config)), config),
      feed_forward_connection_(*feed_forward_, register_module("feed_forward_norm", make_norm(config)), config),
      norms_keys_(config.norms_keys()) {}

at::Tensor EncoderLayerImpl::forward(const at::Tensor& x, const Mask& mask, const Pass& pass) {
  const auto after_self_attention = self_attention_connection_(
      x, [&](const at::Tensor& input) { return self_attention_(input, norms_keys_ ? input : x, mask, pass); },
      pass);  // [B, S, D]
  const auto result = feed_forward_connection_(
      after_self_attention, [&](const at::Tensor& input) { return feed_forward_(input, pass); }, pass);  // [B, S, D]
  if (pass.probe != nullptr) pass.probe->output(site(), result);
  return result;
}

EncoderImpl::EncoderImpl(const ModelConfig& config)
    : d_model_(config.d_model), is_causal_(config.encoder_mask == EncoderMask::kCausal) {
  const auto scores = self_attention_scores(config, *this, /*both_directions=*/!is_causal_);
  const auto layers = register_module("layers", torch::nn::ModuleList());
  for (std::int64_t i = 0; i < config.encoder_layers; ++i) {
    layers_.emplace_back(config, scores());
    layers->push_back(layers_.back());
  }
  if (config.has_final_norm()) norm_ = register_module("norm", make_norm(config));
}

at::Tensor EncoderImpl::forward(const at::Tensor& x, const Mask& mask, const Pass& pass) {
  const auto [B, S, D] = sizes<3>(x, "x");
  mask.expect_fits(B, S);
  const auto shared = (is_causal_ ? mask.as_causal() : mask).cached();  // all layers share its tensor
  auto memory = x;                                                      // [B, S, D]
  for (auto& layer : layers_) memory = layer(memory, shared, pass);
  if (norm_) memory = norm_(memory, pass);
  if (pass.probe != nullptr) pass.probe->output("encoder", memory);
  return memory;
}

}  // namespace gloss
