#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "decoding/scorer.h"

namespace gloss {

/// The score of a given target.
struct ForcedScore {
  std::vector<double> tokens;  ///< log-probability of each token
  double log_probability = 0;  ///< their sum to within rounding; the bits of a search that found the same tokens, if it
                               ///< used no shortlist
};

/// Scores given targets by teacher forcing, each for its source (pieces and eos), in batches of `batch_size` pairs. A
/// target is scored as it stands: it ends with eos, or without one if a search was cut short. The first `given_tokens`
/// tokens of each target have the probability 1. Returns the scores in the order of the targets.
///
/// Calls `before_step`, unless empty, before each batch and each step; it may throw to leave. With several `workers`,
/// on the CPU, each computes a batch on one thread, and `before_step` runs on their threads, one at a time; after its
/// exception it is not called, and the other batches end before their next step.
///
/// Throws UsageError if there are not as many targets as sources or if `batch_size` is less than 1; DataError naming
/// the first target, from 1, that is longer than the scorer's max_target_length; ModelError if a log-normalizer is not
/// finite.
std::vector<ForcedScore> forced_token_scores(const Scorer& scorer, std::span<const Ids> sources,
                                             std::span<const Ids> targets, std::int64_t batch_size,
                                             const std::function<void()>& before_step = {}, std::int64_t workers = 1,
                                             std::int64_t given_tokens = 0);

/// Receives the attention [T, S] of a pair, float32 on the CPU. Rows sum to 1.
using TakeAttention = std::function<void(std::size_t pair, const at::Tensor& weights)>;

/// Computes the attention of the same forced targets, from which alignments are read, and passes each pair's matrix to
/// `take` as soon as it is complete, with several workers on their threads, several at a time. An empty target has
/// weights [0, S]. On the CPU the bits of a pair depend on the pair alone. Returns false if the model has no attention
/// to its source. Throws as forced_token_scores.
bool forced_attention(const Scorer& scorer, const AttentionSite& site, std::span<const Ids> sources,
                      std::span<const Ids> targets, std::int64_t batch_size, const TakeAttention& take,
                      const std::function<void()>& before_step = {}, std::int64_t workers = 1);

}  // namespace gloss
