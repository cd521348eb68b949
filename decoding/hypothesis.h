#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/special_ids.h"
#include "decoding/decoding_config.h"

namespace gloss {

/// One translation of one sentence.
struct Hypothesis {
  Ids ids = {};                                      ///< without bos and eos
  double log_probability = 0;                        ///< sum over the tokens, eos included
  double score = 0;                                  ///< after the length penalty and the coverage penalty
  bool ended = false;                                ///< by eos, not by the length limit
  std::vector<double> token_log_probabilities = {};  ///< of each id and, if `ended`, of eos
  std::vector<float> attention = {};                 ///< [T, S] of each id, if the search kept it

  /// Returns the number of tokens, eos included.
  std::int64_t length() const { return std::ssize(ids) + (ended ? 1 : 0); }
};

/// Returns log_probability / length^penalty (power), or / ((5 + length) / 6)^penalty (Wu et al. 2016, equation 14).
/// `length` counts eos.
double length_normalized(double log_probability, std::int64_t length, const DecodingConfig& config);

/// Returns beta * sum over the source's positions of log(min(attention, 1)) (Wu et al. 2016, equation 14): 0 if the
/// whole source was attended to, otherwise less. `coverage` [S] is the attention of all tokens to each position, eos
/// included, summed; 0 counts as 1e-10.
double coverage_score(std::span<const float> coverage, const DecodingConfig& config);

/// Returns the score of a hypothesis. `coverage` is empty if there is no coverage penalty.
double score_of(const Hypothesis& hypothesis, const DecodingConfig& config, std::span<const float> coverage = {});

}  // namespace gloss
