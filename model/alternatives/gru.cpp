#include "model/alternatives/gru.h"

#include <ATen/TensorOperators.h>

#include "tensor/shape.h"

namespace gloss {

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

}  // namespace gloss
