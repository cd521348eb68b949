#include "model/feed_forward.h"

#include <utility>

#include <ATen/ops/gelu.h>

#include "model/dropout.h"
#include "model/fast/linear_map.h"
#include "tensor/shape.h"

namespace gloss {

FeedForwardImpl::FeedForwardImpl(std::int64_t d_model, std::int64_t d_ff, Activation activation, double dropout,
                                 std::string site)
    : inner_(register_module("inner", Linear(d_model, d_ff))),
      outer_(register_module("outer", Linear(d_ff, d_model))),
      d_model_(d_model),
      activation_(activation),
      dropout_(dropout),
      site_(std::move(site)) {}

at::Tensor FeedForwardImpl::forward(const at::Tensor& x, const Pass& pass) {
  expect_shape(x, {-1, -1, d_model_}, "x");
  const auto inner = activation_ == Activation::kGelu
                         ? dropout(at::gelu(inner_(x)), dropout_, pass, site_ + ".inner")
                         : linear_relu_dropout(x, inner_->weight(), inner_->bias(), dropout_, pass, site_ + ".inner");
  return outer_(inner);  // [B, T, D], from [B, T, d_ff]
}

}  // namespace gloss
