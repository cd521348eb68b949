#pragma once

#include <cstdint>
#include <vector>

#include "decoding/candidates.h"

namespace gloss {

/// A continuation, and the number of phrase pieces that are missing after it.
struct BankedCandidate {
  Candidate candidate;
  std::int64_t missing = 0;
};

/// Dynamic beam allocation (Post and Vilar 2018, section 3.2). Continuations that miss equally many pieces form a bank.
/// The `rows` of a beam are given to the banks one by one in turn, starting with the bank that misses least, while a
/// bank has more. So translations that generate their phrases late compete with each other, not with those that have
/// them already. `candidates` are sorted, best first; eos occurs only if no piece is missing, and may finish if it is
/// among the best of its bank for which there are rows, at most `beam_size`. Returns the input of Beam::advance: the
/// finishing ones, then the live ones, best first each.
std::vector<Candidate> share_rows(const std::vector<BankedCandidate>& candidates, std::int64_t beam_size,
                                  std::int64_t rows);

}  // namespace gloss
