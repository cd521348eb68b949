#pragma once

#include <cstdint>
#include <utility>

#include <ATen/core/Tensor.h>

#include "model/alternatives/scores.h"

namespace gloss {

/// Rotary positions (Su et al. 2021, eq. 34). Each pair (x_2i, x_2i+1) of a query or key is rotated by an angle that
/// grows with its position:
///
///     (x, y)  ->  (x cos a - y sin a, x sin a + y cos a),   a = position / 10000^(2i / d_k)
///
/// The dot product of a rotated query and key depends on the distance of their positions only. Maps heads
/// [B, H, T, d_k] at the positions `first` to `first + T - 1` to [B, H, T, d_k]; d_k is even. The table of angles is
/// computed in double and rounded to float32.
at::Tensor rotate(const at::Tensor& heads, std::int64_t first);

/// Scores of queries and keys that are rotated by their positions.
class RotaryScores final : public PlacedScores {
 public:
  explicit RotaryScores(Scores inner) : PlacedScores(std::move(inner)) {}

  at::Tensor forward(const at::Tensor& query, const at::Tensor& key) override;
};

}  // namespace gloss
