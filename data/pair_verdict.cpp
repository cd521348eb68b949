#include "data/pair_verdict.h"

#include <algorithm>

#include "common/text/utf8.h"
#include "common/text/white_space.h"

namespace gloss {

JudgedLine JudgedLine::of(const TextLine& line) {
  const bool has_words = line.text.find_first_not_of(kAsciiSpace) != line.text.npos;
  return {.cut = line.cut, .is_text = gloss::is_text(line.text), .pieces = has_words ? 1 : 0};
}

PairVerdict judge_bytes(const JudgedLine& source, const JudgedLine& target) {
  if (source.cut || target.cut) return PairVerdict::kTooLong;
  if (!source.is_text || !target.is_text) return PairVerdict::kInvalid;
  return PairVerdict::kUsable;
}

PairVerdict judge_pair(const JudgedLine& source, const JudgedLine& target, std::int64_t max_length) {
  constexpr std::int64_t kEosPieces = 1;
  if (const auto verdict = judge_bytes(source, target); verdict != PairVerdict::kUsable) return verdict;
  if (source.pieces == 0 || target.pieces == 0) return PairVerdict::kEmpty;
  if (max_length > 0 && std::max(source.pieces, target.pieces) + kEosPieces > max_length) return PairVerdict::kTooLong;
  return PairVerdict::kUsable;
}

bool has_other_encoding(std::int64_t invalid, std::int64_t lines) {
  constexpr std::int64_t kLinesPerInvalid = 100;
  return invalid * kLinesPerInvalid > lines;
}

}  // namespace gloss
