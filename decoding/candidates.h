#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/special_ids.h"
#include "decoding/scorer.h"

namespace gloss {

/// One more token behind one live row of a sentence.
struct Candidate {
  std::int64_t row = 0;        ///< of the sentence, from 0
  Id id = 0;                   ///< the token
  double log_probability = 0;  ///< of the row and the token
  double penalty = 0;          ///< ranks it lower: for the places of phrases (phrase_placement.h)
};

/// The `count` likeliest continuations of each of B sentences, best first; ties go to the lower row, then to the lower
/// id. `top` holds each row's likeliest tokens, `count` or all there are. `log_probabilities` [B * K] are those of the
/// rows so far, -inf for a row that is none. What has probability 0 is left out, so there may be fewer. Throws
/// ModelError where the scorer's numbers are not numbers.
std::vector<std::vector<Candidate>> best_candidates(const TopTokens& top, std::span<const double> log_probabilities,
                                                    std::int64_t sentences, std::int64_t count);

/// What is added to a row's logits to make them log-probabilities of all that it says; -inf where nothing can follow.
/// Throws ModelError where the normalizer is not a number.
double log_probability_offset(double log_probability, double log_normalizer);

}  // namespace gloss
