#pragma once

#include <cstdint>

#include "model/layer_norm.h"
#include "model/norm.h"

namespace gloss {

/// Root mean square normalization (Zhang and Sennrich 2019, eq. 4) over the last dimension:
///
///     y = x / sqrt(mean(x^2) + epsilon) * weight
///
/// Unlike layer normalization it neither subtracts the mean nor adds a bias.
class RmsNorm final : public NormImpl {
 public:
  explicit RmsNorm(std::int64_t width, double epsilon = LayerNormImpl::kEpsilon);

  at::Tensor forward(const at::Tensor& x, const Pass& pass) override;

 private:
  at::Tensor weight_;  ///< [D], 1 at first
  double epsilon_;
};

/// No normalization: the identity, without weights.
class NoNorm final : public NormImpl {
 public:
  at::Tensor forward(const at::Tensor& x, const Pass& /*pass*/) override { return x; }
};

}  // namespace gloss
