#include "model/positional_encoding.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/core/InferenceMode.h>

#include "common/error.h"

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

PositionalEncodingImpl::PositionalEncodingImpl(std::int64_t d_model) : d_model_(d_model) {}

PositionalEncodingImpl::PositionalEncodingImpl(std::int64_t d_model, std::int64_t max_positions)
    : d_model_(d_model), weight_(register_parameter("weight", at::zeros({max_positions, d_model}))) {}

PositionalEncodingImpl::PositionalEncodingImpl(const ModelConfig& config)
    : d_model_(config.d_model),
      is_zero_(!config.adds_positions()),
      frequencies_(config.position_frequencies),
      first_position_(config.first_position) {
  if (!is_zero_ && config.positions == Positions::kLearned)
    weight_ = register_parameter("weight", at::zeros({config.max_positions, config.d_model}));
}

at::Tensor PositionalEncodingImpl::forward(std::int64_t first, std::int64_t count, at::Device device) {
  if (is_zero_) return at::zeros({count, d_model_}, at::device(device));
  const auto end = first + count;
  if (const auto max_positions = limit(); max_positions && end > *max_positions) {
    throw UsageError("positions: wanted at most " + std::to_string(*max_positions) +
                     ", which is all that the model has learned, got " + std::to_string(end) +
                     "; use shorter lines or train with a larger model.max_positions");
  }
  return (weight_.defined() ? weight_ : table(end, device)).narrow(0, first, count);  // [count, D]
}

std::optional<std::int64_t> PositionalEncodingImpl::limit() const {
  if (!weight_.defined()) return std::nullopt;
  return weight_.size(0);
}

at::Tensor PositionalEncodingImpl::table(std::int64_t count, at::Device device) {
  const std::lock_guard lock(table_lock_);
  if (!table_.defined() || table_.size(0) < count || table_.device() != device) {
    const c10::InferenceMode ordinary(false);  // the table outlives a translation and serves training too
    const auto known = table_.defined() ? table_.size(0) : kFirstTable;
    const auto next = known < count ? std::max(count, 2 * known) : known;
    table_ = sinusoids(first_position_, next, d_model_, frequencies_).to(device);  // [next, D]
  }
  return table_;
}

}  // namespace gloss
