#pragma once

#include <cstdint>
#include <optional>

#include "model/positional_encoding.h"

namespace gloss {

/// Learned positions (section 3.5, table 3 row E): rows of a weight [max_positions, D].
class LearnedPositions final : public PositionalEncodingImpl {
 public:
  LearnedPositions(std::int64_t d_model, std::int64_t max_positions);

  /// Throws UsageError beyond the last row.
  at::Tensor forward(std::int64_t first, std::int64_t count, at::Device device) override;
  std::optional<std::int64_t> limit() const override { return weight_.size(0); }

 private:
  at::Tensor weight_;  ///< [max_positions, D]
};

/// Zeros, for a network whose order comes from elsewhere or is not given (ModelConfig::adds_positions).
class NoPositions final : public PositionalEncodingImpl {
 public:
  using PositionalEncodingImpl::PositionalEncodingImpl;

  at::Tensor forward(std::int64_t first, std::int64_t count, at::Device device) override;
};

}  // namespace gloss
