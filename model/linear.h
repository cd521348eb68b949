#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "model/pass.h"

namespace gloss {

/// A linear map, y = x W^T + b with W [out, in] and b [out], or without b. All weights are zero at first, while
/// LibTorch's own module draws random ones; initialize() fills them by name, so no random number is drawn twice.
class LinearImpl : public torch::nn::Module {
 public:
  LinearImpl(std::int64_t in, std::int64_t out, bool has_bias = true);

  /// Maps x [..., in] to [..., out]. Throws ShapeError on another width.
  at::Tensor forward(const at::Tensor& x, const Pass& pass);

  const at::Tensor& weight() const { return weight_; }  ///< [out, in]
  const at::Tensor& bias() const { return bias_; }      ///< [out]; undefined without

 private:
  at::Tensor weight_;
  at::Tensor bias_;
};
TORCH_MODULE(Linear);

}  // namespace gloss
