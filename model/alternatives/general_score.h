#pragma once

#include "model/alternatives/score_function.h"

namespace gloss {

/// A bilinear form (Luong et al. 2015, section 3.1, "general"), W of each head [d_k, d_k]:
///
///     score(q, k) = q W k
class GeneralScore final : public ScoreFunctionImpl {
 public:
  GeneralScore(std::int64_t heads, std::int64_t d_k);

  at::Tensor forward(const at::Tensor& query, const at::Tensor& key) override;

 private:
  std::int64_t heads_, d_k_;
  at::Tensor weight_;  ///< [H * d_k, d_k]: the heads' matrices W, one below the other
};

}  // namespace gloss
