#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

namespace gloss {

/// Layer normalization (Ba et al. 2016) over the last dimension, with the biased variance:
///
///     y = (x - mean) / sqrt(variance + 1e-5) * weight + bias
class LayerNormImpl : public torch::nn::Module {
 public:
  explicit LayerNormImpl(std::int64_t width);

  /// x [..., D] to [..., D]. Throws ShapeError on another width.
  at::Tensor forward(const at::Tensor& x);

 private:
  at::Tensor weight_;  ///< [D], 1 at first
  at::Tensor bias_;    ///< [D], 0 at first
};
TORCH_MODULE(LayerNorm);

}  // namespace gloss
