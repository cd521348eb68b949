#pragma once

#include <cstdint>
#include <optional>
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
};

/// The `count` likeliest continuations of each of B sentences, best first; ties go to the lower row, then to the lower
/// id. `top` holds each row's likeliest tokens, as many as tokens_wanted(count, banned) or all there are.
/// `log_probabilities` [B * K] are those of the rows so far, -inf for a row that is none. What has probability 0 is
/// left out, and so is `banned`, so there may be fewer; the others keep the log-probabilities that they have beside it.
/// Throws ModelError where the scorer's numbers are not numbers.
std::vector<std::vector<Candidate>> best_candidates(const TopTokens& top, std::span<const double> log_probabilities,
                                                    std::int64_t sentences, std::int64_t count,
                                                    std::optional<Id> banned = std::nullopt);

/// How many of a row's tokens can be among its sentence's best `count`.
std::int64_t tokens_wanted(std::int64_t count, std::optional<Id> banned, std::int64_t vocabulary_size);

}  // namespace gloss
