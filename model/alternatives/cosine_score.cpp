#include "model/alternatives/cosine_score.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/zeros.h>

namespace gloss {
namespace {

constexpr double kMinNorm = 1e-12;

/// Divides each vector by its length.
at::Tensor directions(const at::Tensor& vectors) {
  return vectors / at::linalg_vector_norm(vectors, 2, -1, /*keepdim=*/true).clamp_min(kMinNorm);
}

}  // namespace

CosineScore::CosineScore(std::int64_t heads) : log_scale_(register_parameter("log_scale", at::zeros({heads}))) {}

at::Tensor CosineScore::forward(const at::Tensor& query, const at::Tensor& key) {
  const auto cosines = directions(query).matmul(directions(key).transpose(-2, -1));  // [B, H, T, S]
  return cosines * log_scale_.exp().view({-1, 1, 1});
}

}  // namespace gloss
