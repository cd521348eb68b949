#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/special_ids.h"
#include "decoding/scorer.h"

namespace gloss {

/// A continuation of one row of a sentence by one token.
struct Candidate {
  std::int64_t row = 0;              ///< of the sentence, from 0
  Id id = 0;                         ///< the token
  double log_probability = 0;        ///< of the row and the token
  double penalty = 0;                ///< lowers the rank: for the places of phrases (phrase_placement.h)
  double token_log_probability = 0;  ///< of the token alone
};

/// Returns the `count` best continuations of each of B sentences, best first; ties go to the lower row, then to the
/// lower id. `top` holds each row's most likely tokens, `count` or all that are considered, with logits of -inf last.
/// `log_probabilities` [B * K] are those of the rows so far, -inf for a row that only fills up the batch. Continuations
/// of probability 0 are left out, so there may be fewer. Throws as log_probability_offset.
std::vector<std::vector<Candidate>> best_candidates(const TopTokens& top, std::span<const double> log_probabilities,
                                                    std::int64_t sentences, std::int64_t count);

/// Returns the number that turns a logit into the log-probability of the row with that token. Throws ModelError if the
/// log-normalizer is NaN or +inf. A log-normalizer of -inf means that every logit is -inf, so no token can follow; the
/// result is then -inf.
double log_probability_offset(double log_probability, double log_normalizer);

}  // namespace gloss
