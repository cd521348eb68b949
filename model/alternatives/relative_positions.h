#pragma once

#include <cstdint>
#include <utility>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "model/alternatives/scores.h"

namespace gloss {

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

}  // namespace gloss
