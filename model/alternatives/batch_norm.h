#pragma once

#include <cstdint>
#include <vector>

#include "model/layer_norm.h"
#include "model/norm.h"

namespace gloss {

/// Batch normalization (Ioffe and Szegedy 2015) over the positions of a batch:
///
///     y = (x - mean) / sqrt(variance + epsilon) * weight + bias
///
/// In training, mean and biased variance [D] are those of the shard of a batch, over the positions that are not
/// padding. So a position depends on later ones and on other sentences, unlike with layer normalization. Other passes,
/// and a norm whose weight is frozen, use running statistics, whose variance is unbiased.
class BatchNorm final : public NormImpl {
 public:
  static constexpr double kMomentum = 0.1;  ///< share of a new shard in the running statistics

  explicit BatchNorm(std::int64_t width, double epsilon = LayerNormImpl::kEpsilon);

  /// A training pass reads Pass::lengths and adds to Pass::batch_statistics.
  at::Tensor forward(const at::Tensor& x, const Pass& pass) override;

  const at::Tensor& running_mean() const { return running_mean_; }          ///< [D], 0 at first
  const at::Tensor& running_variance() const { return running_variance_; }  ///< [D], 1 at first

 private:
  at::Tensor weight_, bias_;                    ///< [D]
  at::Tensor running_mean_, running_variance_;  ///< parameters without a gradient, so that they are saved
  double epsilon_;
};

/// The statistics of the batch norms of one training pass. The forward pass changes no module: the running statistics
/// take them over once it is known that the update is applied.
class BatchStatistics {
 public:
  /// A statistic of a shard: the running one, and the value that it takes over, [D] each.
  struct Seen {
    at::Tensor running, value;
  };

  void add(at::Tensor running, at::Tensor value);
  /// Returns the statistics in the order of `add`.
  const std::vector<Seen>& seen() const { return seen_; }
  /// Appends the statistics of the passes that follow.
  void append(BatchStatistics after);
  /// Sets running = (1 - kMomentum) * running + kMomentum * statistic, for each norm in the order of `add`.
  void update_running() const;

 private:
  std::vector<Seen> seen_;
};

}  // namespace gloss
