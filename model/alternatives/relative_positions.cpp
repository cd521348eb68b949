#include "model/alternatives/relative_positions.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <ATen/ops/embedding.h>

#include "tensor/new_weight.h"
#include "tensor/to_device.h"

namespace gloss {

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

}  // namespace gloss
