#include "model/alternatives/recurrent_network.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <torch/nn/modules/container/modulelist.h>

#include "model/alternatives/scores.h"
#include "model/dropout.h"
#include "tensor/shape.h"

namespace gloss {
namespace {

/// Runs a GRU over x [B, S, D] in one direction and returns its states [B, S, units].
at::Tensor states_of(Gru& gru, const at::Tensor& x, const Mask& mask, bool backward, const Pass& pass) {
  const auto [B, S, D] = sizes<3>(x, "x");
  const auto projected = gru->project(x, pass);  // [B, S, 3 * units]
  const bool all_visible = !mask.hides_keys(S);
  const auto visible = mask.visible(1, S, x.device()).view({-1, S, 1});  // [B or 1, S, 1]
  auto state = at::zeros({B, gru->units()}, x.options());
  std::vector<at::Tensor> states(static_cast<std::size_t>(S));
  for (std::int64_t i = 0; i < S; ++i) {
    const auto s = backward ? S - 1 - i : i;
    const auto next = gru->step(projected.select(1, s), state, pass);
    state = all_visible ? next : at::where(visible.select(1, s), next, state);
    states[static_cast<std::size_t>(s)] = state;
  }
  return at::stack(states, 1);
}

const std::string kCrossAttention = "decoder.layers.0.cross_attention";

std::string site_of(std::size_t layer) { return "decoder.layers." + std::to_string(layer); }

}  // namespace

GruImpl::GruImpl(std::int64_t input, std::int64_t units)
    : units_(units),
      input_(register_module("input", Linear(input, 3 * units))),
      state_(register_module("state", Linear(units, 3 * units))) {}

at::Tensor GruImpl::project(const at::Tensor& x, const Pass& pass) { return input_(x, pass); }

at::Tensor GruImpl::step(const at::Tensor& projected, const at::Tensor& state, const Pass& pass) {
  expect_shape(projected, {state.size(0), 3 * units_}, "projected");
  const auto of_input = projected.chunk(3, -1), of_state = state_(state, pass).chunk(3, -1);  // [N, units] each
  const auto reset = (of_input[0] + of_state[0]).sigmoid();
  const auto update = (of_input[1] + of_state[1]).sigmoid();
  const auto candidate = (of_input[2] + reset * of_state[2]).tanh();
  return (1 - update) * candidate + update * state;
}

RecurrentEncoderLayerImpl::RecurrentEncoderLayerImpl(std::int64_t d_model)
    : forward_(register_module("forward", Gru(d_model, d_model / 2))),
      backward_(register_module("backward", Gru(d_model, d_model / 2))) {}

at::Tensor RecurrentEncoderLayerImpl::forward(const at::Tensor& x, const Mask& mask, const Pass& pass) {
  return at::cat({states_of(forward_, x, mask, false, pass), states_of(backward_, x, mask, true, pass)}, -1);
}

RecurrentEncoderImpl::RecurrentEncoderImpl(const ModelConfig& config)
    : EncoderImpl(config.d_model), dropout_(config.dropout) {
  const auto layers = register_module("layers", torch::nn::ModuleList());
  for (std::int64_t i = 0; i < config.encoder_layers; ++i) {
    layers_.emplace_back(config.d_model);
    layers->push_back(layers_.back());
  }
}

at::Tensor RecurrentEncoderImpl::forward(const at::Tensor& x, const Mask& mask, const Pass& pass) {
  const auto [B, S, D] = sizes<3>(x, "x");
  mask.expect_fits(B, S);
  const auto shared = mask.cached();
  auto memory = x;  // [B, S, D]
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const auto site = "encoder.layers." + std::to_string(i);
    memory = layers_[i](memory, shared, pass);
    if (pass.probe != nullptr) pass.probe->output(site, memory);
    memory = dropout(memory, dropout_, pass, site);
  }
  if (pass.probe != nullptr) pass.probe->output("encoder", memory);
  return memory;
}

RecurrentDecoderImpl::RecurrentDecoderImpl(const ModelConfig& config)
    : DecoderImpl(config.d_model), dropout_(config.dropout) {
  const auto D = config.d_model;
  const bool attends = config.has_cross_attention();
  const auto layers = register_module("layers", torch::nn::ModuleList());
  for (std::int64_t i = 0; i < config.decoder_layers; ++i) {
    auto& parts = layers_.emplace_back();
    auto module = std::make_shared<torch::nn::Module>();
    parts.initial = module->register_module("initial", Linear(D, D));
    parts.gru = module->register_module("gru", Gru(i == 0 && attends ? 2 * D : D, D));
    if (i == 0 && attends) {
      const auto score = std::make_shared<AdditiveScore>(config.heads, D / config.heads);
      // Without dropout on its weights, as Bahdanau's: one site would drop the same keys at every position.
      cross_attention_ = module->register_module(
          "cross_attention", MultiHeadAttention(D, config.heads, 0.0, std::shared_ptr<ScoresImpl>(score)));
    }
    layers->push_back(module);
  }
  output_ = register_module("output", Linear(attends ? 3 * D : 2 * D, D));
}

at::Tensor RecurrentDecoderImpl::first_state(std::size_t layer, const at::Tensor& memory, const Pass& pass) {
  const auto [B, S, D] = sizes<3>(memory, "memory");
  const auto forward = memory.select(1, S - 1).narrow(-1, 0, D / 2);  // [B, D / 2]
  const auto backward = memory.select(1, 0).narrow(-1, D / 2, D / 2);
  return layers_[layer].initial(at::cat({forward, backward}, -1), pass).tanh();  // [B, D]
}

at::Tensor RecurrentDecoderImpl::context(const at::Tensor& state, const KeysAndValues& memory, const Mask& mask,
                                         const Pass& pass) {
  const auto B = memory.key.size(0), D = d_model();
  const auto result = cross_attention_->attend(state.view({B, -1, D}), memory, mask, pass).view({-1, 1, D});
  if (pass.probe != nullptr) pass.probe->output(kCrossAttention, result);
  return result.squeeze(1);
}

at::Tensor RecurrentDecoderImpl::finish(const std::vector<at::Tensor>& values, const Pass& pass) {
  const auto result = output_(at::cat(values, -1), pass).tanh();
  if (pass.probe != nullptr) pass.probe->output("decoder", result);
  return result;
}

at::Tensor RecurrentDecoderImpl::forward(const at::Tensor& x, const Memory& memory, const Pass& pass) {
  const auto [B, T, D] = sizes<3>(x, "x");
  expect_shape(memory.value, {B, -1, D}, "memory");
  memory.mask.expect_fits(B, memory.value.size(1));
  const auto mask = memory.mask.cached();
  auto states = x;                   // [B, T, D]
  std::vector<at::Tensor> contexts;  // [B, D] each
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    auto& gru = layers_[i].gru;
    auto state = first_state(i, memory.value, pass);
    std::vector<at::Tensor> next;  // [B, D] each
    if (i == 0 && cross_attention_) {
      const auto attended = cross_attention_->project(memory.value, pass);
      for (std::int64_t t = 0; t < T; ++t) {
        const auto c = contexts.emplace_back(context(state, attended, mask, pass));
        state = next.emplace_back(gru->step(gru->project(at::cat({x.select(1, t), c}, -1), pass), state, pass));
      }
    } else {
      const auto projected = gru->project(states, pass);  // [B, T, 3D]
      for (std::int64_t t = 0; t < T; ++t) state = next.emplace_back(gru->step(projected.select(1, t), state, pass));
    }
    states = at::stack(next, 1);
    if (pass.probe != nullptr) pass.probe->output(site_of(i), states);
    states = dropout(states, dropout_, pass, site_of(i));
  }
  if (contexts.empty()) return finish({states, x}, pass);
  return finish({states, at::stack(contexts, 1), x}, pass);  // [B, T, D]
}

DecoderCache RecurrentDecoderImpl::start(const Memory& memory, const Pass& pass) {
  DecoderCache cache(memory);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const bool attends = i == 0 && cross_attention_;
    cache.layers.push_back(attends ? cache_of_memory(cross_attention_, memory.value, pass) : LayerCache());
    cache.layers.back().state = first_state(i, memory.value, pass);
  }
  return cache;
}

at::Tensor RecurrentDecoderImpl::step(const at::Tensor& x, DecoderCache& cache, const Pass& pass) {
  expect_shape(x, {cache.sentences * cache.rows, 1, -1}, "x");
  auto output = x.squeeze(1);  // [B * K, D]
  const auto input = output;
  at::Tensor c;  // [B * K, D]
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    auto& gru = layers_[i].gru;
    auto& layer = cache.layers[i];
    if (i == 0 && cross_attention_) {
      c = context(layer.state, {layer.cross_key, layer.cross_value}, cache.source_mask, pass);
      output = at::cat({input, c}, -1);
    }
    output = layer.state = gru->step(gru->project(output, pass), layer.state, pass);
    if (pass.probe != nullptr) pass.probe->output(site_of(i), output.unsqueeze(1));
  }
  ++cache.position;
  const auto result = c.defined() ? finish({output, c, input}, pass) : finish({output, input}, pass);
  return result.unsqueeze(1);  // [B * K, 1, D]
}

}  // namespace gloss
