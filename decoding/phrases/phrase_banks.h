#pragma once

#include <cstdint>
#include <vector>

#include "decoding/candidates.h"

namespace gloss {

/// A continuation, and how many pieces of its phrases are missing then.
struct BankedCandidate {
  Candidate candidate;
  std::int64_t missing = 0;
};

/// Dynamic beam allocation (Post and Vilar 2018, section 3.2): continuations that miss equally many pieces form a bank,
/// and the `rows` of a beam go round the banks, one each in turn, from the one that misses least, as long as a bank has
/// more. So what says its phrases late competes with its like, not with what has said them. `candidates` are best
/// first; eos stands only where nothing is missing, and may finish where it is among the best of its bank for which
/// there are rows, `beam_size` at most. Returns what Beam::advance takes: the finishing ones, then the live ones, best
/// first each.
std::vector<Candidate> share_rows(const std::vector<BankedCandidate>& candidates, std::int64_t beam_size,
                                  std::int64_t rows);

}  // namespace gloss
