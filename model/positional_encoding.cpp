#include "model/positional_encoding.h"

#include <algorithm>
#include <cmath>

#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>

namespace gloss {
namespace {

constexpr std::int64_t kFirstTable = 256;  // positions; then doubled as needed

}  // namespace

at::Tensor sinusoids(std::int64_t first, std::int64_t count, std::int64_t d_model, PositionFrequencies frequencies) {
  auto result = at::empty({count, d_model}, at::kFloat);
  auto* out = result.mutable_data_ptr<float>();
  const bool of_paper = frequencies == PositionFrequencies::kPaper;
  const double half = static_cast<double>(d_model) / 2, steps = of_paper ? half : std::max(half - 1, 1.0);
  for (std::int64_t column = 0; column < d_model; ++column) {
    const std::int64_t i = column / 2;
    const double rate = std::pow(10000.0, -static_cast<double>(i) / steps);
    for (std::int64_t row = 0; row < count; ++row) {
      const double angle = static_cast<double>(first + row) * rate;
      out[row * d_model + column] = static_cast<float>(column % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
  return result;
}

PositionalEncodingImpl::PositionalEncodingImpl(std::int64_t d_model, PositionFrequencies frequencies,
                                               std::int64_t first_position)
    : d_model_(d_model), frequencies_(frequencies), first_position_(first_position) {}

at::Tensor PositionalEncodingImpl::forward(std::int64_t first, std::int64_t count, at::Device device) {
  const std::lock_guard lock(table_lock_);
  const auto end = first + count;
  if (!table_.defined() || table_.size(0) < end || table_.device() != device) {
    const c10::InferenceMode ordinary(false);  // the table outlives a translation and serves training too
    const auto known = table_.defined() ? table_.size(0) : kFirstTable;
    const auto next = known < end ? std::max(end, 2 * known) : known;
    table_ = sinusoids(first_position_, next, d_model_, frequencies_).to(device);  // [next, D]
  }
  return table_.narrow(0, first, count);  // [count, D]
}

}  // namespace gloss
