#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>
#include <torch/nn/pimpl.h>

#include "model/pass.h"

namespace gloss {

/// The normalization around a sublayer or after a stack: layer normalization or an alternative.
class NormImpl : public SitedModule {
 public:
  /// Maps x [..., D] to [..., D]. Throws ShapeError on another width.
  virtual at::Tensor forward(const at::Tensor& x, const Pass& pass) = 0;
};
TORCH_MODULE(Norm);

/// Layer normalization (Ba et al. 2016) over the last dimension, with the biased variance:
///
///     y = (x - mean) / sqrt(variance + epsilon) * weight + bias
///
/// The weight is the gain of the paper (a_2 in the Annotated Transformer), the bias its shift (b_2).
class LayerNormImpl final : public NormImpl {
 public:
  static constexpr double kEpsilon = 1e-5;

  explicit LayerNormImpl(std::int64_t width, double epsilon = kEpsilon);

  at::Tensor forward(const at::Tensor& x, const Pass& pass) override;

 private:
  at::Tensor weight_;  ///< [D], 1 at first
  at::Tensor bias_;    ///< [D], 0 at first
  double epsilon_;
};
TORCH_MODULE(LayerNorm);

}  // namespace gloss
