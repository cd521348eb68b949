#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "model/int8_scales.h"

namespace gloss {

/// The last linear map and softmax (section 3.4), W [V, D], b [V]:
///
///     log p(token | x) = log softmax(x W^T + b)
///
/// A generator that is tied to an embedding borrows its weight and registers the bias alone, so that the weight reaches
/// the optimizer once.
class GeneratorImpl : public torch::nn::Module {
 public:
  /// Creates a generator with a weight of its own.
  GeneratorImpl(std::int64_t d_model, std::int64_t vocabulary);
  /// Creates a generator that is tied to the weight [V, D] of an embedding.
  explicit GeneratorImpl(at::Tensor tied_weight);

  /// Maps x [..., D] to log-probabilities [..., V]. Throws ShapeError on another width. `int8`: as Pass::int8.
  at::Tensor forward(const at::Tensor& x, Int8Scales int8 = Int8Scales::kNone) const;
  /// Maps x [..., D] to logits [..., V], the input of the softmax. Throws ShapeError on another width.
  at::Tensor logits(const at::Tensor& x, Int8Scales int8 = Int8Scales::kNone) const;

  /// Returns whether the weight is borrowed.
  bool is_tied() const;

  const at::Tensor& weight() const { return weight_; }  ///< [V, D]
  const at::Tensor& bias() const { return bias_; }      ///< [V]

 private:
  at::Tensor weight_;
  at::Tensor bias_;
};
TORCH_MODULE(Generator);

}  // namespace gloss
