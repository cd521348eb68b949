#pragma once

#include <cstdint>
#include <span>

#include "common/special_ids.h"
#include "decoding/decoding_config.h"

namespace gloss {

/// One translation of one sentence.
struct Hypothesis {
  Ids ids;                     ///< without bos and eos
  double log_probability = 0;  ///< sum over the tokens, eos included
  double score = 0;            ///< log_probability over the length penalty, and the coverage's penalty
  bool ended = false;          ///< by eos, not by the limit of length
};

/// log_probability / length^penalty (power), or / ((5 + length) / 6)^penalty (Wu et al. 2016, equation 14); `length`
/// counts the eos.
double length_normalised(double log_probability, std::int64_t length, const DecodingConfig& config);

/// beta * sum over the source's positions of log(min(attention, 1)) (Wu et al. 2016, equation 14): 0 where all of the
/// source was attended to, else below. `coverage` [S] is the attention that each position, the eos's too, had from all
/// tokens together; none at all counts as 1e-10.
double coverage_score(std::span<const float> coverage, const DecodingConfig& config);

/// A hypothesis with its score; `ended` counts an eos behind the ids. `coverage` is empty where it does not count.
Hypothesis make_hypothesis(Ids ids, double log_probability, bool ended, const DecodingConfig& config,
                           std::span<const float> coverage = {});

}  // namespace gloss
