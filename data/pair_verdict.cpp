#include "data/pair_verdict.h"

#include <algorithm>
#include <utility>

#include "common/text/utf8.h"
#include "common/text/visible_text.h"

namespace gloss {

JudgedLine JudgedLine::of(const TextLine& line) {
  return {
      .cut = line.cut, .is_text = gloss::is_text(line.text), .pieces = is_blank(line.text) ? 0 : 1, .text = line.text};
}

PairVerdict judge_bytes(const JudgedLine& source, const JudgedLine& target) {
  if (source.cut || target.cut) return PairVerdict::kTooLong;
  if (!source.is_text || !target.is_text) return PairVerdict::kInvalid;
  return PairVerdict::kUsable;
}

PairVerdict judge_pair(const JudgedLine& source, const JudgedLine& target, std::int64_t max_length,
                       const PairFilters& filters) {
  constexpr std::int64_t kEosPieces = 1;
  if (const auto verdict = judge_bytes(source, target); verdict != PairVerdict::kUsable) return verdict;
  if (source.pieces == 0 || target.pieces == 0) return PairVerdict::kEmpty;
  const auto [shorter, longer] = std::minmax(source.pieces, target.pieces);
  if (max_length > 0 && longer + kEosPieces > max_length) return PairVerdict::kTooLong;
  if (filters.max_ratio > 0 && static_cast<double>(longer) > filters.max_ratio * static_cast<double>(shorter))
    return PairVerdict::kRatio;
  if (filters.skip_copied && source.text == target.text) return PairVerdict::kCopied;
  return PairVerdict::kUsable;
}

RepeatedPairs::RepeatedPairs(std::vector<std::vector<std::size_t>> earlier)
    : earlier_(std::move(earlier)), used_(earlier_.size()) {}

PairVerdict RepeatedPairs::judge(std::size_t text, std::string_view source, std::string_view target) {
  const auto pair = hash_of_pair(source, target);
  const auto has_pair = [&](std::size_t earlier) { return used_.at(earlier).contains(pair); };
  if (std::ranges::any_of(earlier_.at(text), has_pair) || !used_[text].insert(pair)) return PairVerdict::kRepeated;
  return PairVerdict::kUsable;
}

bool has_other_encoding(std::int64_t invalid, std::int64_t lines) {
  constexpr std::int64_t kLinesPerInvalid = 100;
  return invalid * kLinesPerInvalid > lines;
}

}  // namespace gloss
