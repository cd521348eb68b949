#include "model/decoder.h"

#include <utility>

#include <torch/nn/modules/container/modulelist.h>

#include "model/make_model.h"
#include "tensor/shape.h"

namespace gloss {

DecoderLayerImpl::DecoderLayerImpl(const ModelConfig& config, Scores scores)
    : DecoderLayerImpl(config, "self_attention", make_attention(config, std::move(scores))) {}

DecoderLayerImpl::DecoderLayerImpl(const ModelConfig& config, const std::string& name,
                                   const std::shared_ptr<SitedModule>& first)
    : self_attention_(register_module(name, first)->as<MultiHeadAttention>()),
      cross_attention_(register_module("cross_attention", make_attention(config, make_scores(config)))),
      feed_forward_(register_module("feed_forward", make_feed_forward(config, config.decoder_d_ff()))),
      self_attention_connection_(*first, register_module(name + "_norm", make_norm(config)), config),
      cross_attention_connection_(*cross_attention_, register_module("cross_attention_norm", make_norm(config)),
                                  config),
      feed_forward_connection_(*feed_forward_, register_module("feed_forward_norm", make_norm(config)), config),
      norms_keys_(config.norms_keys()) {}

at::Tensor DecoderLayerImpl::forward(const at::Tensor& x, const Memory& memory, const Mask& mask, const Pass& pass) {
  const auto after_self_attention = self_attention_connection_(
      x, [&](const at::Tensor& input) { return self_attention(input, norms_keys_ ? input : x, mask, pass); },
      pass);  // [B, T, D]
  const auto after_cross_attention = cross_attention_connection_(
      after_self_attention,
      [&](const at::Tensor& input) { return cross_attention_(input, memory.value, memory.mask, pass); },
      pass);  // [B, T, D]
  const auto result = feed_forward_connection_(
      after_cross_attention, [&](const at::Tensor& input) { return feed_forward_(input, pass); }, pass);  // [B, T, D]
  if (pass.probe != nullptr) pass.probe->output(site(), result);
  return result;
}

at::Tensor DecoderLayerImpl::self_attention(const at::Tensor& input, const at::Tensor& keys, const Mask& mask,
                                            const Pass& pass) {
  return self_attention_->forward(input, keys, mask, pass);
}

DecoderImpl::DecoderImpl(const ModelConfig& config) : d_model_(config.d_model) {
  const auto make_layer = decoder_layers(config, *this);
  const auto layers = register_module("layers", torch::nn::ModuleList());
  for (std::int64_t i = 0; i < config.decoder_layers; ++i) {
    layers_.emplace_back(make_layer());
    layers->push_back(layers_.back());
  }
  if (config.has_final_norm()) norm_ = register_module("norm", make_norm(config));
}

at::Tensor DecoderImpl::forward(const at::Tensor& x, const Memory& memory, const Pass& pass) {
  const auto [B, T, D] = sizes<3>(x, "x");
  expect_shape(memory.value, {B, -1, D}, "memory");
  memory.mask.expect_fits(B, memory.value.size(1));
  // Padding follows the sentence, so the causal mask hides it. All layers share the masks' tensors.
  const auto mask = Mask::causal().cached();
  const Memory shared{memory.value, memory.mask.cached()};
  auto result = x;  // [B, T, D]
  for (auto& layer : layers_) result = layer(result, shared, mask, pass);
  return finish(result, pass);
}

at::Tensor DecoderImpl::finish(const at::Tensor& x, const Pass& pass) {
  const auto result = norm_ ? norm_(x, pass) : x;
  if (pass.probe != nullptr) pass.probe->output("decoder", result);
  return result;
}

}  // namespace gloss
