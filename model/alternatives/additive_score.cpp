#include "model/alternatives/additive_score.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>

namespace gloss {

AdditiveScore::AdditiveScore(std::int64_t heads, std::int64_t d_k)
    : weight_(register_parameter("weight", at::zeros({heads, d_k}))) {}

at::Tensor AdditiveScore::forward(const at::Tensor& query, const at::Tensor& key) {
  const auto hidden = (query.unsqueeze(3) + key.unsqueeze(2)).tanh();  // [B, H, T, S, d_k]
  const auto v = weight_.unsqueeze(1).unsqueeze(3);                    // [H, 1, d_k, 1]
  return hidden.matmul(v).squeeze(-1);                                 // [B, H, T, S]
}

}  // namespace gloss
