#include "model/alternatives/activations.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>

#include "model/dropout.h"

namespace gloss {
namespace {

at::Tensor activate(const at::Tensor& x, Activation activation) {
  switch (activation) {
    case Activation::kRelu:
      return at::relu(x);
    case Activation::kGelu:
      return at::gelu(x);
    case Activation::kGeluSigmoid:
      return x * at::sigmoid(1.702 * x);
    case Activation::kSwish:
    case Activation::kSwiglu:
      return at::silu(x);
    case Activation::kGlu:
      return at::sigmoid(x);
  }
  return x;
}

}  // namespace

ActivatedFeedForward::ActivatedFeedForward(std::int64_t d_model, std::int64_t d_ff, double dropout,
                                           Activation activation)
    : FeedForwardImpl(d_model, d_ff, dropout), activation_(activation) {
  if (has_gate(activation)) gate_ = register_module("gate", Linear(d_model, d_ff));
}

at::Tensor ActivatedFeedForward::forward(const at::Tensor& x, const Pass& pass) {
  const auto sum = inner_(x, pass);  // [B, T, d_ff]
  const auto activated =
      gate_ ? activate(gate_(x, pass), activation_) * sum : activate(sum, activation_);  // [B, T, d_ff]
  return outer_(dropout(activated, dropout_, pass, site() + ".inner"), pass);            // [B, T, D]
}

}  // namespace gloss
