#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>
#include <torch/nn/pimpl.h>

#include "model/linear.h"
#include "model/pass.h"

namespace gloss {

/// Position-wise feed-forward network (section 3.3), the same at every position:
///
///     FFN(x) = max(0, x W_1 + b_1) W_2 + b_2
///
/// `inner_` holds W_1 and b_1, `outer_` W_2 and b_2; a weight is [out, in], so that x W_1 is written x W^T in code.
class FeedForwardImpl : public SitedModule {
 public:
  /// `dropout` follows the activation, as in the Annotated Transformer.
  FeedForwardImpl(std::int64_t d_model, std::int64_t d_ff, double dropout);

  /// Maps x [B, T, D] to [B, T, D].
  virtual at::Tensor forward(const at::Tensor& x, const Pass& pass);

 protected:
  Linear inner_, outer_;
  double dropout_;
};
TORCH_MODULE(FeedForward);

}  // namespace gloss
