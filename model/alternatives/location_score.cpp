#include "model/alternatives/location_score.h"

#include <string>

#include <ATen/ops/zeros.h>

#include "common/error.h"

namespace gloss {

LocationScore::LocationScore(std::int64_t max_positions, std::int64_t heads, std::int64_t d_k)
    : heads_(heads), d_k_(d_k), weight_(register_parameter("weight", at::zeros({max_positions, heads * d_k}))) {}

at::Tensor LocationScore::forward(const at::Tensor& query, const at::Tensor& key) {
  const auto S = key.size(2), max_positions = weight_.size(0);
  if (S > max_positions)
    throw UsageError("attention by location: wanted at most " + std::to_string(max_positions) + " keys, got " +
                     std::to_string(S) + "; use shorter lines or train with a larger model.max_positions");
  const auto weight = weight_.narrow(0, 0, S).view({S, heads_, d_k_}).permute({1, 2, 0});  // [H, d_k, S]
  return query.matmul(weight);                                                             // [B, H, T, S]
}

}  // namespace gloss
