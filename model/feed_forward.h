#pragma once

#include <cstdint>
#include <string>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "model/linear.h"
#include "model/model_config.h"
#include "model/pass.h"

namespace gloss {

/// Position-wise feed-forward network (section 3.3), the same at every position:
///
///     FFN(x) = max(0, x W_1 + b_1) W_2 + b_2
///
/// or another activation in place of max(0, x) (model/alternatives/activations.h). `inner_` holds W_1 and b_1, `outer_`
/// W_2 and b_2; a weight is [out, in], so that x W_1 is written x W^T in code. An activation with a gate has a third
/// map, V and c in `gate_` (Shazeer 2020):
///
///     FFN(x) = (activation(x V + c) * (x W_1 + b_1)) W_2 + b_2
class FeedForwardImpl : public torch::nn::Module {
 public:
  /// `dropout` follows the activation, as in the Annotated Transformer. `site`: model/pass.h.
  FeedForwardImpl(std::int64_t d_model, std::int64_t d_ff, Activation activation, double dropout, std::string site);

  /// Maps x [B, T, D] to [B, T, D].
  at::Tensor forward(const at::Tensor& x, const Pass& pass);

 private:
  Linear inner_{nullptr}, outer_{nullptr}, gate_{nullptr};
  std::int64_t d_model_;
  Activation activation_;
  double dropout_;
  std::string site_;
};
TORCH_MODULE(FeedForward);

}  // namespace gloss
