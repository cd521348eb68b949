#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "model/alternatives/scores.h"
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

/// Returns the bucket of the distance key - query of two positions (Raffel et al. 2020, section 2.1), from 0 to 31.
/// Short distances have a bucket each, longer ones share buckets that grow as a logarithm, and all from 128 on share
/// the last. With `both_directions` half of the buckets is for keys after the query; otherwise these share bucket 0.
std::int64_t relative_bucket(std::int64_t distance, bool both_directions);

/// A learned number for each bucket of distances and each head, which is added to the scores of self-attention (T5,
/// Raffel et al. 2020, section 2.1). All layers of a stack share the table.
class RelativePositionsImpl : public torch::nn::Module {
 public:
  static constexpr std::int64_t kBuckets = 32;
  static constexpr std::int64_t kMaxDistance = 128;

  /// `both_directions`: true for an encoder whose mask is not causal.
  RelativePositionsImpl(std::int64_t heads, bool both_directions);

  /// Returns the biases [H, T, S] of T queries and S keys. The queries are the last of the S positions.
  at::Tensor forward(std::int64_t T, std::int64_t S);

 private:
  bool both_directions_;
  at::Tensor weight_;  ///< [kBuckets, H]
};
TORCH_MODULE(RelativePositions);

/// Scores with the biases of relative positions added. The stack of layers registers these.
class RelativeScores final : public PlacedScores {
 public:
  RelativeScores(Scores inner, RelativePositions positions)
      : PlacedScores(std::move(inner)), positions_(std::move(positions)) {}

  at::Tensor forward(const at::Tensor& query, const at::Tensor& key) override {
    return inner_(query, key) + positions_(query.size(2), key.size(2));
  }

 private:
  RelativePositions positions_;
};

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
