#include "model/padding.h"

#include <algorithm>

#include <ATen/ops/full.h>

#include "common/error.h"
#include "tensor/shape.h"
#include "tensor/to_device.h"

namespace gloss {

void expect_batch(const PaddedIds& batch, std::optional<std::int64_t> limit, const std::string& side) {
  const auto B = sizes<2>(batch.ids, side)[0];
  if (std::ssize(batch.lengths) != B)
    throw ShapeError(side + ": wanted " + std::to_string(B) + " lengths, got " + std::to_string(batch.lengths.size()));
  for (std::size_t b = 0; b < batch.lengths.size(); ++b) {
    if (!limit || batch.lengths[b] <= *limit) continue;
    throw UsageError(side + " sentence " + std::to_string(b + 1) + " of the batch: wanted at most " +
                     std::to_string(*limit) + " tokens, which is all that the model has positions for, got " +
                     std::to_string(batch.lengths[b]) +
                     "; shorten the line or train with a larger model.max_positions");
  }
}

PaddedIds pad(std::span<const Ids> rows, at::Device device) {
  PaddedIds result;
  std::int64_t max_length = 1;
  for (const auto& row : rows) {
    result.lengths.push_back(static_cast<std::int64_t>(row.size()));
    max_length = std::max(max_length, result.lengths.back());
  }
  auto ids = at::full({static_cast<std::int64_t>(rows.size()), max_length}, kPad, at::kLong);  // [B, T]
  auto* out = ids.mutable_data_ptr<std::int64_t>();
  for (const auto& row : rows) {
    std::copy(row.begin(), row.end(), out);
    out += max_length;
  }
  result.ids = to_device(ids, device);
  return result;
}

std::vector<std::int64_t> filled_positions(std::span<const std::int64_t> lengths, std::int64_t T) {
  std::vector<std::int64_t> positions;
  for (std::size_t b = 0; b < lengths.size(); ++b)
    for (std::int64_t t = 0; t < lengths[b]; ++t) positions.push_back(static_cast<std::int64_t>(b) * T + t);
  return positions;
}

ShiftedTarget shift_target(std::span<const Ids> targets, at::Device device) {
  std::vector<Ids> inputs;
  inputs.reserve(targets.size());
  for (const auto& target : targets) {
    auto& input = inputs.emplace_back(target);
    if (input.empty()) continue;
    std::shift_right(input.begin(), input.end(), 1);
    input.front() = kBos;
  }
  return {pad(inputs, device), pad(targets, device).ids};
}

}  // namespace gloss
