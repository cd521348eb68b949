#include "model/alternatives/recurrent_encoder.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <torch/nn/modules/container/modulelist.h>

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

}  // namespace

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

}  // namespace gloss
