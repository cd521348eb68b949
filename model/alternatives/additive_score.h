#pragma once

#include "model/alternatives/score_function.h"

namespace gloss {

/// A network with one hidden layer (Bahdanau et al. 2015, appendix A.1.2), v of each head [d_k]:
///
///     score(q, k) = v . tanh(q + k)
///
/// The query and the key are linear maps already, Bahdanau's W s and U h. The hidden layer of all pairs takes d_k times
/// the memory of the scores.
class AdditiveScore final : public ScoreFunctionImpl {
 public:
  AdditiveScore(std::int64_t heads, std::int64_t d_k);

  at::Tensor forward(const at::Tensor& query, const at::Tensor& key) override;

 private:
  at::Tensor weight_;  ///< v of each head, [H, d_k]
};

}  // namespace gloss
