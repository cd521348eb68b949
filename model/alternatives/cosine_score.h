#pragma once

#include "model/alternatives/score_function.h"

namespace gloss {

/// The cosine of the angle between query and key, divided by a learned temperature of each head (content-based
/// addressing of Graves et al. 2014, eq. 5 and 6; query-key normalization, Henry et al. 2020):
///
///     score(q, k) = q . k / (|q| |k|) * exp(log_scale),   temperature = exp(-log_scale)
///
/// A cosine is at most 1, so that the scale decides how sharp the softmax can be. It starts at 10.
class CosineScore final : public ScoreFunctionImpl {
 public:
  static constexpr double kFirstScale = 10;

  explicit CosineScore(std::int64_t heads);

  at::Tensor forward(const at::Tensor& query, const at::Tensor& key) override;

 private:
  at::Tensor log_scale_;  ///< [H]
};

}  // namespace gloss
