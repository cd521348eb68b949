#include "model/alternatives/ssru.h"

#include <utility>
#include <vector>

#include <ATen/TensorOperators.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

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

SsruDecoderLayer::SsruDecoderLayer(const ModelConfig& config, Ssru recurrence)
    : DecoderLayerImpl(config, "recurrence", recurrence.ptr()), recurrence_(std::move(recurrence)) {}

LayerCache SsruDecoderLayer::start(const at::Tensor& memory, const Pass& pass) {
  auto cache = DecoderLayerImpl::start(memory, pass);
  cache.state = at::zeros({memory.size(0), memory.size(2)}, memory.options());  // c_-1
  return cache;
}

at::Tensor SsruDecoderLayer::self_attention(const at::Tensor& input, const at::Tensor& /*keys*/, const Mask& /*mask*/,
                                            const Pass& pass) {
  return recurrence_(input, pass);
}

at::Tensor SsruDecoderLayer::self_attention_step(const at::Tensor& input, const at::Tensor& /*keys*/,
                                                 DecoderCache& cache, std::size_t index, const Pass& pass) {
  return recurrence_->step(input, cache.layers[index].state, pass);
}

}  // namespace gloss
