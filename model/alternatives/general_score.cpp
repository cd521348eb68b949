#include "model/alternatives/general_score.h"

#include <ATen/ops/zeros.h>

namespace gloss {

GeneralScore::GeneralScore(std::int64_t heads, std::int64_t d_k)
    : heads_(heads), d_k_(d_k), weight_(register_parameter("weight", at::zeros({heads * d_k, d_k}))) {}

at::Tensor GeneralScore::forward(const at::Tensor& query, const at::Tensor& key) {
  const auto weight = weight_.view({heads_, d_k_, d_k_});     // [H, d_k, d_k]
  return query.matmul(weight).matmul(key.transpose(-2, -1));  // [B, H, T, S]
}

}  // namespace gloss
