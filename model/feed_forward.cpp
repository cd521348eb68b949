#include "model/feed_forward.h"

#include <ATen/ops/relu.h>

#include "model/dropout.h"
#include "model/fast/dispatch.h"
#include "tensor/shape.h"

namespace gloss {

FeedForwardImpl::FeedForwardImpl(std::int64_t d_model, std::int64_t d_ff, double dropout)
    : inner_(register_module("inner", Linear(d_model, d_ff))),
      outer_(register_module("outer", Linear(d_ff, d_model))),
      dropout_(dropout) {}

at::Tensor FeedForwardImpl::forward(const at::Tensor& x, const Pass& pass) {
  expect_width(x, inner_->weight().size(1), "x");
  const auto place = site() + ".inner";
  auto inner = fast::linear_relu_dropout(x, inner_->weight(), inner_->bias(), dropout_, pass, place);  // [B, T, d_ff]
  // Otherwise, for example in a plain pass or in translation:
  if (!inner) inner = dropout(at::relu(inner_(x, pass)), dropout_, pass, place);
  return outer_(*inner, pass);  // [B, T, D]
}

}  // namespace gloss
