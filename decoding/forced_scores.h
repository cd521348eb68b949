#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "decoding/scorer.h"

namespace gloss {

/// What a model says of a target that is given.
struct ForcedScore {
  std::vector<double> tokens;  ///< log-probability of each piece, and of the eos where it is said
  double log_probability = 0;  ///< their sum to within rounding; bit for bit what a search finds for the same ids
};

/// Scores targets (pieces, without eos) word for word, each for its source (pieces and eos), `batch_size` together.
/// Throws DataError naming the pair, from 1, whose target is longer than the scorer's max_target_length;
/// `before_step`, where there is one, is called before each batch and each of its steps and may throw to give up.
std::vector<ForcedScore> forced_scores(const Scorer& scorer, std::span<const Ids> sources, std::span<const Ids> targets,
                                       std::int64_t batch_size, const std::function<void()>& before_step = {});
/// The same of what is said as it stands: with eos where a row ends with it, without where a search was cut short.
std::vector<ForcedScore> forced_token_scores(const Scorer& scorer, std::span<const Ids> sources,
                                             std::span<const Ids> said, std::int64_t batch_size,
                                             const std::function<void()>& before_step = {});

}  // namespace gloss
