#include "decoding/phrase_banks.h"

#include <algorithm>
#include <map>

namespace gloss {
namespace {

/// Returns the number of rows of each bank, by its number of missing pieces.
std::map<std::int64_t, std::int64_t> rows_of_banks(const std::vector<BankedCandidate>& candidates, std::int64_t rows) {
  std::map<std::int64_t, std::int64_t> sizes, shares;
  for (const auto& [candidate, missing] : candidates) ++sizes[missing];
  for (auto left = std::min(rows, std::ssize(candidates)); left > 0;)
    for (auto& [missing, size] : sizes) {
      if (size == 0 || left == 0) continue;
      --size;
      --left;
      ++shares[missing];
    }
  return shares;
}

}  // namespace

std::vector<Candidate> share_rows(const std::vector<BankedCandidate>& candidates, std::int64_t beam_size,
                                  std::int64_t rows) {
  auto left = rows_of_banks(candidates, rows);
  auto may_finish = std::min(left[0], beam_size);
  std::vector<Candidate> finishing, live;
  for (const auto& [candidate, missing] : candidates) {
    if (missing == 0 && may_finish-- > 0 && candidate.id == kEos) finishing.push_back(candidate);
    if (candidate.id != kEos && left[missing]-- > 0) live.push_back(candidate);
  }
  finishing.insert(finishing.end(), live.begin(), live.end());
  return finishing;
}

}  // namespace gloss
