#include "model/decoder.h"

#include <torch/nn/modules/container/modulelist.h>

#include "tensor/shape.h"

namespace gloss {
namespace {

std::string first_sublayer(const ModelConfig& config) {
  return config.has_decoder_self_attention() ? "self_attention" : "recurrence";
}

}  // namespace

DecoderLayerImpl::DecoderLayerImpl(const ModelConfig& config, const std::string& site,
                                   const RelativePositions& relative)
    : self_attention_(config.has_decoder_self_attention()
                          ? register_module("self_attention", make_self_attention(config, site, relative))
                          : MultiHeadAttention(nullptr)),
      recurrence_(self_attention_ ? Ssru(nullptr) : register_module("recurrence", Ssru(config.d_model))),
      cross_attention_(register_module("cross_attention", make_cross_attention(config, site))),
      feed_forward_(
          register_module("feed_forward", FeedForward(config.d_model, config.decoder_d_ff(), config.activation,
                                                      config.dropout_in_feed_forward(), site + ".feed_forward"))),
      first_connection_(register_module(first_sublayer(config) + "_norm", make_norm(config)), config,
                        site + "." + first_sublayer(config)),
      cross_attention_connection_(register_module("cross_attention_norm", make_norm(config)), config,
                                  site + ".cross_attention"),
      feed_forward_connection_(register_module("feed_forward_norm", make_norm(config)), config, site + ".feed_forward"),
      norms_keys_(config.norms_keys()),
      site_(site) {}

at::Tensor DecoderLayerImpl::forward(const at::Tensor& x, const Memory& memory, const Mask& mask, const Pass& pass) {
  const auto after_self_attention = first_connection_(
      x,
      [&](const at::Tensor& input) {
        return recurrence_ ? recurrence_(input, pass) : self_attention_(input, norms_keys_ ? input : x, mask, pass);
      },
      pass);  // [B, T, D]
  const auto after_cross_attention = cross_attention_connection_(
      after_self_attention,
      [&](const at::Tensor& input) { return cross_attention_(input, memory.value, memory.mask, pass); },
      pass);  // [B, T, D]
  const auto result = feed_forward_connection_(
      after_cross_attention, [&](const at::Tensor& input) { return feed_forward_(input, pass); }, pass);  // [B, T, D]
  if (pass.probe != nullptr) pass.probe->output(site_, result);
  return result;
}

DecoderImpl::DecoderImpl(const ModelConfig& config) : d_model_(config.d_model) {
  RelativePositions relative{nullptr};
  if (config.positions == Positions::kRelative && config.has_decoder_self_attention())
    relative = register_module("relative_positions", RelativePositions(config.heads, /*both_directions=*/false));
  const auto layers = register_module("layers", torch::nn::ModuleList());
  for (std::int64_t i = 0; i < config.decoder_layers; ++i) {
    layers_.emplace_back(config, "decoder.layers." + std::to_string(i), relative);
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
