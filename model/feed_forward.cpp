#include "model/feed_forward.h"

#include <utility>

#include "model/alternatives/activations.h"
#include "model/dropout.h"
#include "model/fast/dispatch.h"
#include "tensor/shape.h"

namespace gloss {

FeedForwardImpl::FeedForwardImpl(std::int64_t d_model, std::int64_t d_ff, Activation activation, double dropout,
                                 std::string site)
    : inner_(register_module("inner", Linear(d_model, d_ff))),
      outer_(register_module("outer", Linear(d_ff, d_model))),
      d_model_(d_model),
      activation_(activation),
      dropout_(dropout),
      site_(std::move(site)) {
  if (has_gate(activation)) gate_ = register_module("gate", Linear(d_model, d_ff));
}

at::Tensor FeedForwardImpl::forward(const at::Tensor& x, const Pass& pass) {
  expect_shape(x, {-1, -1, d_model_}, "x");
  const auto site = site_ + ".inner";
  if (activation_ == Activation::kRelu) {
    const auto result = fast::linear_relu_dropout(x, inner_->weight(), inner_->bias(), dropout_, pass, site);
    if (result) return outer_(*result, pass);
  }
  // Otherwise, for example in a plain pass or in translation:
  const auto sum = inner_(x, pass);  // [B, T, d_ff]
  const auto activated =
      gate_ ? activate(gate_(x, pass), activation_) * sum : activate(sum, activation_);  // [B, T, d_ff]
  return outer_(dropout(activated, dropout_, pass, site), pass);                         // [B, T, D]
}

}  // namespace gloss
