#include "model/generator.h"

#include <utility>

#include <ATen/ops/linear.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/zeros.h>

#include "model/int8_rounding.h"
#include "tensor/new_weight.h"
#include "tensor/shape.h"

namespace gloss {

GeneratorImpl::GeneratorImpl(std::int64_t d_model, std::int64_t vocabulary)
    : weight_(register_parameter("weight", new_weight({vocabulary, d_model}))),
      bias_(register_parameter("bias", new_weight({vocabulary}))) {}

GeneratorImpl::GeneratorImpl(at::Tensor tied_weight) : weight_(std::move(tied_weight)) {
  expect_dimensions(weight_, 2, "tied_weight");
  bias_ = register_parameter("bias", at::zeros({weight_.size(0)}, weight_.options()));
}

at::Tensor GeneratorImpl::forward(const at::Tensor& x, Int8Scales int8) const {
  return at::log_softmax(logits(x, int8), -1);
}

at::Tensor GeneratorImpl::logits(const at::Tensor& x, Int8Scales int8) const {
  expect_width(x, weight_.size(1), "x");
  return at::linear(rounded_inputs(x, int8), rounded_weight(weight_, int8), bias_);  // x W^T + b
}

bool GeneratorImpl::is_tied() const { return !named_parameters(/*recurse=*/false).contains("weight"); }

}  // namespace gloss
