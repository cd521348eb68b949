#include "evaluation/ter/ter_shifts.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

namespace gloss {
namespace {

constexpr std::size_t kMaxLength = 10;  // maximum words of a block
constexpr std::size_t kMaxAway = 50;    // maximum distance between a block and its match, in words
constexpr int kMaxTried = 1000;         // maximum shifts tried per pair

/// Returns the insertions, deletions and substitutions that any order of the words needs.
std::int32_t shortest_distance(TerWords hypothesis, TerWords reference) {
  std::vector<std::int32_t> unused(reference.size());  // by word
  for (const auto word : reference) ++unused[static_cast<std::size_t>(word)];
  std::size_t common = 0;
  for (const auto word : hypothesis) common += word >= 0 && unused[static_cast<std::size_t>(word)]-- > 0;
  return static_cast<std::int32_t>(std::max(hypothesis.size(), reference.size()) - common);
}

/// Returns the range of words that a shift moves, and its new first word.
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
  lower_bound_ = shortest_distance(hypothesis, reference);
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

/// Returns the best shift, or nothing if no shift helps or too many have been tried.
std::optional<TerShifts::Shift> TerShifts::best_shift(std::int32_t distance) {
  if (distance == lower_bound_) return std::nullopt;
  edit_distance_.align(alignment_);
  std::optional<Shift> best;
  for (std::size_t start = 0; start < words_.size(); ++start) {
    if (words_[start] < 0) continue;
    const auto matches_end = std::min(reference_.size(), start + kMaxAway + 1);
    for (auto match = start - std::min(start, kMaxAway); match < matches_end; ++match) {
      const auto max_length = std::min({kMaxLength, words_.size() - start, reference_.size() - match});
      bool wrong_hypothesis = false, wrong_reference = false;
      for (std::size_t i = 0; i < max_length && words_[start + i] == reference_[match + i]; ++i) {
        wrong_hypothesis |= alignment_.wrong_hypothesis[start + i] != 0;
        wrong_reference |= alignment_.wrong_reference[match + i] != 0;
        const auto consumed = static_cast<std::size_t>(alignment_.consumed[match + 1]);
        const bool within = start < consumed && consumed <= start + i + 1;
        if (wrong_hypothesis && wrong_reference && !within) try_targets(distance, {start, i + 1, 0}, match, best);
        if (tried_ >= kMaxTried) return std::nullopt;
      }
    }
  }
  return best;
}

/// Tries all positions of the hypothesis that are aligned with a word at or next to the matching block of the
/// reference.
void TerShifts::try_targets(std::int32_t distance, Shift shift, std::size_t match, std::optional<Shift>& best) {
  const auto targets = std::span(alignment_.consumed).subspan(match, shift.length + 1);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (i > 0 && targets[i] == targets[i - 1]) continue;
    shift.target = static_cast<std::size_t>(targets[i]);
    shift.gain = distance - distance_after(shift);
    ++tried_;
    if (shift.gain <= 0) continue;
    // Among equally good and long shifts, the one with the first start and target is kept, which was tried first.
    if (!best || std::pair(shift.gain, shift.length) > std::pair(best->gain, best->length)) best = shift;
  }
}

std::int32_t TerShifts::distance_after(const Shift& shift) {
  const auto changed = rotation(shift.start, shift.length, shift.target, words_.size());
  changed.apply(shifted_);
  const auto distance = edit_distance_.changed(shifted_, changed.first);
  const auto at = [&](std::size_t i) { return words_.begin() + static_cast<std::ptrdiff_t>(i); };
  std::copy(at(changed.first), at(changed.last), shifted_.begin() + static_cast<std::ptrdiff_t>(changed.first));
  return distance;
}

}  // namespace gloss
