#pragma once

#include <cstdint>

#include "model/feed_forward.h"
#include "model/model_config.h"

namespace gloss {

/// A feed-forward network with another activation than max(0, x); Phi is the normal distribution, sigma the logistic
/// function:
///
///     gelu            x Phi(x)      (Hendrycks and Gimpel 2016, exact)
///     gelu_sigmoid    x sigma(1.702 x)   (Hendrycks and Gimpel 2016, section 2, approximate; Marian's gelu)
///     swish, swiglu   x sigma(x)    (Ramachandran et al. 2017, beta 1)
///     glu             sigma(x)      (Dauphin et al. 2017)
///
/// An activation with a gate, glu or swiglu, has a third map, V and c in `gate_` (Shazeer 2020):
///
///     FFN(x) = (activation(x V + c) * (x W_1 + b_1)) W_2 + b_2
class ActivatedFeedForward final : public FeedForwardImpl {
 public:
  ActivatedFeedForward(std::int64_t d_model, std::int64_t d_ff, double dropout, Activation activation);

  at::Tensor forward(const at::Tensor& x, const Pass& pass) override;

 private:
  Activation activation_;
  Linear gate_{nullptr};  ///< null without a gate
};

}  // namespace gloss
