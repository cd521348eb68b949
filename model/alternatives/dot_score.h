#pragma once

#include "model/alternatives/score_function.h"

namespace gloss {

/// The dot product without a division (Luong et al. 2015, section 3.1, "dot"):
///
///     score(q, k) = q . k
///
/// Its variance grows with d_k, and the gradient of the softmax of large scores is small (Vaswani et al. 2017,
/// footnote 4).
class DotScore final : public ScoreFunctionImpl {
 public:
  at::Tensor forward(const at::Tensor& query, const at::Tensor& key) override;
};

}  // namespace gloss
