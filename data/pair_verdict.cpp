#include "data/pair_verdict.h"

#include <algorithm>

namespace gloss {

PairVerdict judge_pair(const JudgedLine& source, const JudgedLine& target, std::int64_t max_length) {
  constexpr std::int64_t kEosPieces = 1;
  if (source.cut || target.cut) return PairVerdict::kTooLong;
  if (!source.is_text || !target.is_text) return PairVerdict::kInvalid;
  if (source.pieces == 0 || target.pieces == 0) return PairVerdict::kEmpty;
  if (max_length > 0 && std::max(source.pieces, target.pieces) + kEosPieces > max_length) return PairVerdict::kTooLong;
  return PairVerdict::kUsed;
}

}  // namespace gloss
