#include "model/alternatives/ssru.h"

#include <memory>
#include <utility>
#include <vector>

#include <ATen/TensorOperators.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include "model/make_parts.h"
#include "tensor/shape.h"

namespace gloss {

SsruImpl::SsruImpl(std::int64_t d_model)
    : value_(register_module("value", Linear(d_model, d_model, /*has_bias=*/false))),
      gate_(register_module("gate", Linear(d_model, d_model))) {}

SsruImpl::Terms SsruImpl::terms(const at::Tensor& x, const Pass& pass) {
  const auto forget = gate_(x, pass).sigmoid();
  return {forget, (1 - forget) * value_(x, pass)};
}

at::Tensor SsruImpl::forward(const at::Tensor& x, const Pass& pass) {
  expect_dimensions(x, 3, "x");
  const auto [forget, fresh] = terms(x, pass);
  const auto forget_at = forget.unbind(1), fresh_at = fresh.unbind(1);  // T times [B, D]
  std::vector<at::Tensor> states{fresh_at.front()};                     // c_0, since c_-1 = 0
  for (std::size_t t = 1; t < fresh_at.size(); ++t)
    states.push_back(at::addcmul(fresh_at[t], forget_at[t], states.back()));
  return at::stack(states, 1).relu();
}

at::Tensor SsruImpl::step(const at::Tensor& x, at::Tensor& state, const Pass& pass) {
  expect_shape(x, {state.size(0), 1, state.size(1)}, "x");
  const auto [forget, fresh] = terms(x, pass);
  state = at::addcmul(fresh.squeeze(1), forget.squeeze(1), state);
  return state.relu().unsqueeze(1);
}

SsruDecoderLayer::SsruDecoderLayer(const ModelConfig& config)
    : recurrence_(register_module("recurrence", Ssru(config.d_model))),
      cross_attention_(register_module(
          "cross_attention",
          MultiHeadAttention(config.d_model, config.heads, config.dropout_on_attention(), make_scores(config)))),
      feed_forward_(register_module("feed_forward", make_feed_forward(config, config.decoder_d_ff()))),
      recurrence_connection_(*recurrence_, register_module("recurrence_norm", make_norm(config)), config),
      cross_attention_connection_(*cross_attention_, register_module("cross_attention_norm", make_norm(config)),
                                  config),
      feed_forward_connection_(*feed_forward_, register_module("feed_forward_norm", make_norm(config)), config) {}

at::Tensor SsruDecoderLayer::forward(const at::Tensor& x, const Memory& memory, const Mask& /*mask*/,
                                     const Pass& pass) {
  const auto states = recurrence_connection_(
      x, [&](const at::Tensor& input) { return recurrence_(input, pass); }, pass);  // [B, T, D]
  const auto attended = cross_attention_connection_(
      states, [&](const at::Tensor& input) { return cross_attention_(input, memory.value, memory.mask, pass); },
      pass);  // [B, T, D]
  const auto result = feed_forward_connection_(
      attended, [&](const at::Tensor& input) { return feed_forward_(input, pass); }, pass);  // [B, T, D]
  if (pass.probe != nullptr) pass.probe->output(site(), result);
  return result;
}

LayerCache SsruDecoderLayer::start(const at::Tensor& memory, const Pass& pass) {
  auto cache = cache_of_memory(cross_attention_, memory, pass);
  cache.state = at::zeros({memory.size(0), memory.size(2)}, memory.options());  // c_-1
  return cache;
}

at::Tensor SsruDecoderLayer::step(const at::Tensor& x, DecoderCache& cache, std::size_t index, const Pass& pass) {
  const auto state = recurrence_connection_(
      x, [&](const at::Tensor& input) { return recurrence_->step(input, cache.layers[index].state, pass); },
      pass);  // [B * K, 1, D]
  const auto attended = cross_attention_connection_(
      state, [&](const at::Tensor& input) { return cache.attend(index, cross_attention_, input, pass); },
      pass);  // [B * K, 1, D]
  const auto result = feed_forward_connection_(
      attended, [&](const at::Tensor& input) { return feed_forward_(input, pass); }, pass);  // [B * K, 1, D]
  if (pass.probe != nullptr) pass.probe->output(site(), result);
  return result;
}

SsruDecoder::SsruDecoder(const ModelConfig& config) : DecoderImpl(config.d_model) {
  std::vector<std::shared_ptr<DecoderLayerBase>> layers;
  for (std::int64_t i = 0; i < config.decoder_layers; ++i) layers.push_back(std::make_shared<SsruDecoderLayer>(config));
  add_layers(config, std::move(layers));
}

}  // namespace gloss
