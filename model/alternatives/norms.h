#pragma once

#include <cstdint>

#include "model/layer_norm.h"

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

/// Batch normalization (Ioffe and Szegedy 2015) over the positions of a batch:
///
///     y = (x - mean) / sqrt(variance + epsilon) * weight + bias
///
/// In training, mean and biased variance [D] are those of the shard of a batch, over the positions that are not
/// padding. So a position depends on later ones and on other sentences, unlike with layer normalization. Other passes,
/// and a norm whose weight is frozen, use running statistics, whose variance is unbiased.
class BatchNorm final : public NormImpl {
 public:
  explicit BatchNorm(std::int64_t width, double epsilon = LayerNormImpl::kEpsilon);

  /// In training, reads the lengths of Pass::batch and adds the statistics; without it, no position is padding.
  at::Tensor forward(const at::Tensor& x, const Pass& pass) override;

 private:
  at::Tensor weight_, bias_;                    ///< [D]; 1 and 0 at first
  at::Tensor running_mean_, running_variance_;  ///< [D]; 0 and 1 at first. Parameters, so that they are saved
  double epsilon_;
};

}  // namespace gloss
