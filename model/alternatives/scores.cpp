#include "model/alternatives/scores.h"

#include <string>
#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/linalg_vector_norm.h>

#include "common/error.h"
#include "tensor/new_weight.h"

namespace gloss {
namespace {

constexpr double kMinNorm = 1e-12;

/// Divides each vector by its length.
at::Tensor directions(const at::Tensor& vectors) {
  return vectors / at::linalg_vector_norm(vectors, 2, -1, /*keepdim=*/true).clamp_min(kMinNorm);
}

}  // namespace

at::Tensor DotScore::forward(const at::Tensor& query, const at::Tensor& key) {
  return query.matmul(key.transpose(-2, -1));  // [B, H, T, S]
}

GeneralScore::GeneralScore(std::int64_t heads, std::int64_t d_k)
    : heads_(heads), d_k_(d_k), weight_(register_parameter("weight", new_weight({heads * d_k, d_k}))) {}

at::Tensor GeneralScore::forward(const at::Tensor& query, const at::Tensor& key) {
  const auto weight = weight_.view({heads_, d_k_, d_k_});     // [H, d_k, d_k]
  return query.matmul(weight).matmul(key.transpose(-2, -1));  // [B, H, T, S]
}

AdditiveScore::AdditiveScore(std::int64_t heads, std::int64_t d_k)
    : weight_(register_parameter("weight", new_weight({heads, d_k}))) {}

at::Tensor AdditiveScore::forward(const at::Tensor& query, const at::Tensor& key) {
  const auto hidden = (query.unsqueeze(3) + key.unsqueeze(2)).tanh();  // [B, H, T, S, d_k]
  const auto v = weight_.unsqueeze(1).unsqueeze(3);                    // [H, 1, d_k, 1]
  return hidden.matmul(v).squeeze(-1);                                 // [B, H, T, S]
}

CosineScore::CosineScore(std::int64_t heads) : log_scale_(register_parameter("log_scale", new_weight({heads}))) {}

at::Tensor CosineScore::forward(const at::Tensor& query, const at::Tensor& key) {
  const auto cosines = directions(query).matmul(directions(key).transpose(-2, -1));  // [B, H, T, S]
  return cosines * log_scale_.exp().view({-1, 1, 1});
}

LocationScore::LocationScore(std::int64_t max_positions, std::int64_t heads, std::int64_t d_k)
    : heads_(heads), d_k_(d_k), weight_(register_parameter("weight", new_weight({max_positions, heads * d_k}))) {}

at::Tensor LocationScore::forward(const at::Tensor& query, const at::Tensor& key) {
  const auto S = key.size(2), max_positions = weight_.size(0);
  if (S > max_positions)
    throw UsageError("attention by location: wanted at most " + std::to_string(max_positions) + " keys, got " +
                     std::to_string(S) + "; use shorter lines or train with a larger model.max_positions");
  const auto weight = weight_.narrow(0, 0, S).view({S, heads_, d_k_}).permute({1, 2, 0});  // [H, d_k, S]
  return query.matmul(weight);                                                             // [B, H, T, S]
}

PlacedScores::PlacedScores(Scores inner) : inner_(std::move(inner)) {
  for (const auto& item : inner_->named_parameters()) register_parameter(item.key(), item.value());
}

}  // namespace gloss
