#pragma once

#include <cstdint>

#include "model/scores.h"

namespace gloss {

/// The dot product without a division (Luong et al. 2015, section 3.1, "dot"):
///
///     score(q, k) = q . k
///
/// Its variance grows with d_k, and the gradient of the softmax of large scores is small (Vaswani et al. 2017,
/// footnote 4).
class DotScore final : public ScoresImpl {
 public:
  at::Tensor forward(const at::Tensor& query, const at::Tensor& key) override;
};

/// A bilinear form (Luong et al. 2015, section 3.1, "general"), W of each head [d_k, d_k]:
///
///     score(q, k) = q W k
class GeneralScore final : public ScoresImpl {
 public:
  GeneralScore(std::int64_t heads, std::int64_t d_k);

  at::Tensor forward(const at::Tensor& query, const at::Tensor& key) override;

 private:
  std::int64_t heads_, d_k_;
  at::Tensor weight_;  ///< [H * d_k, d_k]: the heads' matrices W, one below the other
};

/// A network with one hidden layer (Bahdanau et al. 2015, appendix A.1.2), v of each head [d_k]:
///
///     score(q, k) = v . tanh(q + k)
///
/// The query and the key are linear maps already, Bahdanau's W s and U h. The hidden layer of all pairs takes d_k times
/// the memory of the scores.
class AdditiveScore final : public ScoresImpl {
 public:
  AdditiveScore(std::int64_t heads, std::int64_t d_k);

  at::Tensor forward(const at::Tensor& query, const at::Tensor& key) override;

 private:
  at::Tensor weight_;  ///< v of each head, [H, d_k]
};

/// The cosine of the angle between query and key, divided by a learned temperature of each head (content-based
/// addressing of Graves et al. 2014, eq. 5 and 6; query-key normalization, Henry et al. 2020):
///
///     score(q, k) = q . k / (|q| |k|) * exp(log_scale),   temperature = exp(-log_scale)
///
/// A cosine is at most 1, so that the scale decides how sharp the softmax can be. It starts at kFirstScale
/// (model/weights.h).
class CosineScore final : public ScoresImpl {
 public:
  explicit CosineScore(std::int64_t heads);

  at::Tensor forward(const at::Tensor& query, const at::Tensor& key) override;

 private:
  at::Tensor log_scale_;  ///< [H]
};

/// A score by the place of the key alone (Luong et al. 2015, section 3.1, "location"), W of each head [max_positions,
/// d_k]:
///
///     score(q, s) = (W q)_s
///
/// The content of the keys, and so the map W^K, has no influence, and no sentence can be longer than max_positions.
class LocationScore final : public ScoresImpl {
 public:
  LocationScore(std::int64_t max_positions, std::int64_t heads, std::int64_t d_k);

  /// Throws UsageError for more keys than max_positions.
  at::Tensor forward(const at::Tensor& query, const at::Tensor& key) override;

 private:
  std::int64_t heads_, d_k_;
  at::Tensor weight_;  ///< [max_positions, H * d_k]: the heads' matrices W, side by side
};

/// Scores of another kind with positions in them. They have the weights of the other kind, under the same names.
class PlacedScores : public ScoresImpl {
 protected:
  explicit PlacedScores(Scores inner);

  Scores inner_;
};

}  // namespace gloss
