#include "model/alternatives/dot_score.h"

namespace gloss {

at::Tensor DotScore::forward(const at::Tensor& query, const at::Tensor& key) {
  return query.matmul(key.transpose(-2, -1));  // [B, H, T, S]
}

}  // namespace gloss
