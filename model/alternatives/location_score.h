#pragma once

#include "model/alternatives/score_function.h"

namespace gloss {

/// A score by the place of the key alone (Luong et al. 2015, section 3.1, "location"), W of each head [max_positions,
/// d_k]:
///
///     score(q, s) = (W q)_s
///
/// The content of the keys, and so the map W^K, has no influence, and no sentence can be longer than max_positions.
class LocationScore final : public ScoreFunctionImpl {
 public:
  LocationScore(std::int64_t max_positions, std::int64_t heads, std::int64_t d_k);

  /// Throws UsageError for more keys than max_positions.
  at::Tensor forward(const at::Tensor& query, const at::Tensor& key) override;

 private:
  std::int64_t heads_, d_k_;
  at::Tensor weight_;  ///< [max_positions, H * d_k]: the heads' matrices W, side by side
};

}  // namespace gloss
