#include "evaluation/ter/ter_shifts.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

namespace gloss {
namespace {

constexpr std::size_t kMaxLength = 10;  // words of a block
constexpr std::size_t kMaxAway = 50;    // words from the place of a block to that of what it equals
constexpr int kMaxTried = 1000;         // shifts tried for a pair

/// What has to be inserted, deleted or substituted even if the order of words were free.
std::int32_t shortest_distance(TerWords hypothesis, TerWords reference) {
  std::vector<std::int32_t> unused(reference.size());  // by word
  for (const auto word : reference) ++unused[static_cast<std::size_t>(word)];
  std::size_t common = 0;
  for (const auto word : hypothesis) common += word >= 0 && unused[static_cast<std::size_t>(word)]-- > 0;
  return static_cast<std::int32_t>(std::max(hypothesis.size(), reference.size()) - common);
}

/// The words that change their places, and which of them comes first then.
struct Rotation {
  std::size_t first, middle, last;

  void apply(std::vector<std::int32_t>& words) const {
    const auto at = [&](std::size_t i) { return words.begin() + static_cast<std::ptrdiff_t>(i); };
    std::rotate(at(first), at(middle), at(last));
  }
};

Rotation rotation(std::size_t start, std::size_t length, std::size_t target, std::size_t words) {
  const auto end = start + length;
  if (target < start) return {target, start, end};
  return {start, end, target > end ? target : std::min(target + length, words)};
}

}  // namespace

std::int64_t TerShifts::edits(TerWords hypothesis, TerWords reference) {
  if (reference.empty()) return std::ssize(hypothesis);
  reference_ = reference;
  words_.assign(hypothesis.begin(), hypothesis.end());
  shifted_ = words_;
  shortest_ = shortest_distance(hypothesis, reference);
  tried_ = 0;
  edit_distance_.begin(reference, words_.size());
  auto distance = edit_distance_.set(words_);
  std::int64_t shifts = 0;
  while (const auto shift = best_shift(distance)) {
    rotation(shift->start, shift->length, shift->target, words_.size()).apply(words_);
    shifted_ = words_;
    distance = edit_distance_.set(words_);
    ++shifts;
  }
  return shifts + distance;
}

/// Nothing where no shift helps, and where too many have been tried.
std::optional<TerShifts::Shift> TerShifts::best_shift(std::int32_t distance) {
  if (distance == shortest_) return std::nullopt;
  edit_distance_.align(alignment_);
  std::optional<Shift> best;
  for (std::size_t start = 0; start < words_.size(); ++start) {
    if (words_[start] < 0) continue;
    const auto matches_end = std::min(reference_.size(), start + kMaxAway + 1);
    for (auto match = start - std::min(start, kMaxAway); match < matches_end; ++match) {
      const auto longest = std::min({kMaxLength, words_.size() - start, reference_.size() - match});
      bool wrong_hypothesis = false, wrong_reference = false;
      for (std::size_t i = 0; i < longest && words_[start + i] == reference_[match + i]; ++i) {
        wrong_hypothesis |= alignment_.wrong_hypothesis[start + i] != 0;
        wrong_reference |= alignment_.wrong_reference[match + i] != 0;
        const auto behind = static_cast<std::size_t>(alignment_.behind[match + 1]);
        const bool within = start < behind && behind <= start + i + 1;
        if (wrong_hypothesis && wrong_reference && !within) try_targets(distance, {start, i + 1, 0}, match, best);
        if (tried_ >= kMaxTried) return std::nullopt;
      }
    }
  }
  return best;
}

/// All places of the hypothesis that stand for one beside or in the words of the reference that the block equals.
void TerShifts::try_targets(std::int32_t distance, Shift shift, std::size_t match, std::optional<Shift>& best) {
  const auto targets = std::span(alignment_.behind).subspan(match, shift.length + 1);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (i > 0 && targets[i] == targets[i - 1]) continue;
    shift.target = static_cast<std::size_t>(targets[i]);
    shift.gain = distance - distance_behind(shift);
    ++tried_;
    if (shift.gain <= 0) continue;
    // Of those that are as good and as long the one with the first start and target, which has been tried first.
    if (!best || std::pair(shift.gain, shift.length) > std::pair(best->gain, best->length)) best = shift;
  }
}

std::int32_t TerShifts::distance_behind(const Shift& shift) {
  const auto changed = rotation(shift.start, shift.length, shift.target, words_.size());
  changed.apply(shifted_);
  const auto distance = edit_distance_.changed(shifted_, changed.first);
  const auto at = [&](std::size_t i) { return words_.begin() + static_cast<std::ptrdiff_t>(i); };
  std::copy(at(changed.first), at(changed.last), shifted_.begin() + static_cast<std::ptrdiff_t>(changed.first));
  return distance;
}

}  // namespace gloss
