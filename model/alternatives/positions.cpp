#include "model/alternatives/positions.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <ATen/TensorOperators.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include "common/error.h"
#include "model/positional_encoding.h"
#include "tensor/new_weight.h"
#include "tensor/shape.h"
#include "tensor/to_device.h"

namespace gloss {

LearnedPositions::LearnedPositions(std::int64_t d_model, std::int64_t max_positions)
    : PositionalEncodingImpl(d_model), weight_(register_parameter("weight", new_weight({max_positions, d_model}))) {}

at::Tensor LearnedPositions::forward(std::int64_t first, std::int64_t count, at::Device /*device*/) {
  const auto end = first + count, max_positions = weight_.size(0);
  if (end > max_positions) {
    throw UsageError("positions: wanted at most " + std::to_string(max_positions) +
                     ", which is all that the model has learned, got " + std::to_string(end) +
                     "; use shorter lines or train with a larger model.max_positions");
  }
  return weight_.narrow(0, first, count);  // [count, D]
}

at::Tensor NoPositions::forward(std::int64_t /*first*/, std::int64_t count, at::Device device) {
  return at::zeros({count, d_model()}, at::device(device));
}

std::int64_t relative_bucket(std::int64_t distance, bool both_directions) {
  const auto buckets = both_directions ? RelativePositionsImpl::kBuckets / 2 : RelativePositionsImpl::kBuckets;
  const auto first = both_directions && distance > 0 ? buckets : 0;
  const auto length = both_directions ? std::abs(distance) : std::max<std::int64_t>(-distance, 0);
  const auto exact = buckets / 2;
  if (length < exact) return first + length;
  // log2 is exact at powers of two, where a rounding error would give another bucket.
  const auto of_range =
      std::log2(static_cast<double>(length) / static_cast<double>(exact)) /
      std::log2(static_cast<double>(RelativePositionsImpl::kMaxDistance) / static_cast<double>(exact));
  const auto shared = exact + static_cast<std::int64_t>(of_range * static_cast<double>(buckets - exact));
  return first + std::min(shared, buckets - 1);
}

RelativePositionsImpl::RelativePositionsImpl(std::int64_t heads, bool both_directions)
    : both_directions_(both_directions), weight_(register_parameter("weight", new_weight({kBuckets, heads}))) {}

at::Tensor RelativePositionsImpl::forward(std::int64_t T, std::int64_t S) {
  std::vector<std::int64_t> buckets;  // [T, S]
  buckets.reserve(static_cast<std::size_t>(T * S));
  for (std::int64_t query = S - T; query < S; ++query)
    for (std::int64_t key = 0; key < S; ++key) buckets.push_back(relative_bucket(key - query, both_directions_));
  const auto index = to_device(buckets, weight_.device()).view({T, S});
  return at::embedding(weight_, index).permute({2, 0, 1});  // [H, T, S]
}

at::Tensor rotate(const at::Tensor& heads, std::int64_t first) {
  const auto [B, H, T, d_k] = sizes<4>(heads, "heads");
  // Column 2i of the sinusoids is the sine of the angle of pair i, column 2i + 1 its cosine.
  const auto angles = sinusoids(first, T, d_k).to(heads.device()).view({T, d_k / 2, 2});  // [T, d_k / 2, 2]
  const auto sine = angles.select(-1, 0), cosine = angles.select(-1, 1);                  // [T, d_k / 2] each
  const auto pairs = heads.reshape({B, H, T, d_k / 2, 2});
  const auto x = pairs.select(-1, 0), y = pairs.select(-1, 1);  // [B, H, T, d_k / 2] each
  return at::stack({x * cosine - y * sine, x * sine + y * cosine}, -1).flatten(-2).to(heads.scalar_type());
}

at::Tensor RotaryScores::forward(const at::Tensor& query, const at::Tensor& key) {
  return inner_(rotate(query, key.size(2) - query.size(2)), rotate(key, 0));
}

}  // namespace gloss
