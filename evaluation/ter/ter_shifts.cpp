#include "evaluation/ter/ter_shifts.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace gloss {
namespace {

constexpr std::int32_t kBeam = 25;
constexpr std::int32_t kNoWord = -2;
constexpr std::int32_t kUnreached = 1 << 30;

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

void TerEditDistance::begin(TerWords reference, std::size_t length) {
  reference_.assign(1, kNoWord);
  reference_.insert(reference_.end(), reference.begin(), reference.end());
  const auto columns = static_cast<std::int32_t>(reference_.size());
  const double ratio = length == 0 ? 1 : static_cast<double>(reference.size()) / static_cast<double>(length);
  const auto beam = ratio / 2 > kBeam ? static_cast<std::int32_t>(std::ceil(ratio / 2 + kBeam)) : kBeam;

  rows_.assign(length + 1, {0, columns, columns, 0});
  for (std::size_t i = 1; i <= length; ++i) {
    const auto diagonal = static_cast<std::int32_t>(std::floor(static_cast<double>(i) * ratio));
    rows_[i].begin = std::max(0, diagonal - beam);
    if (i < length) rows_[i].end = std::min(columns, diagonal + beam);
  }
  std::ptrdiff_t cells = 0;
  for (std::size_t i = 0; i <= length; ++i) {
    auto& row = rows_[i];
    row.stored_end = i < length ? std::max(row.end, rows_[i + 1].end) : row.end;
    row.origin = cells - row.begin + 1;
    cells += row.stored_end - row.begin + 1;
  }
  cells_.resize(static_cast<std::size_t>(cells));
  std::size_t widest = 0;
  for (const auto& row : rows_) widest = std::max(widest, static_cast<std::size_t>(row.stored_end - row.begin + 1));
  above_.resize(widest);
  below_.resize(widest);

  cells_[0] = kUnreached;
  for (std::int32_t j = 0; j < columns; ++j) cells_[static_cast<std::size_t>(j) + 1] = j;
}

/// Computes row i of the matrix from the row above it. Both pointers refer to the column left of the row's first.
void TerEditDistance::next_row(std::size_t i, std::int32_t word, const std::int32_t* above, std::int32_t* row) const {
  const auto& geometry = rows_[i];
  const auto* reference = reference_.data() + geometry.begin;
  const auto width = geometry.end - geometry.begin;
  above += geometry.begin - rows_[i - 1].begin;
  auto left = *row = kUnreached;
  for (std::int32_t j = 0; j < width; ++j) {
    const auto kept_or_substituted = above[j] + (reference[j] != word);
    left = std::min({kept_or_substituted, above[j + 1] + 1, left + 1});
    row[j + 1] = left;
  }
  std::fill(row + 1 + width, row + 1 + (geometry.stored_end - geometry.begin), kUnreached);
}

std::int32_t TerEditDistance::set(TerWords hypothesis) {
  hypothesis_ = hypothesis;
  const auto left_of = [&](std::size_t i) { return cells_.data() + rows_[i].origin + rows_[i].begin - 1; };
  for (std::size_t i = 1; i <= hypothesis.size(); ++i) next_row(i, hypothesis[i - 1], left_of(i - 1), left_of(i));
  return cells_.back();
}

std::int32_t TerEditDistance::changed(TerWords hypothesis, std::size_t first) {
  const auto* above = cells_.data() + rows_[first].origin + rows_[first].begin - 1;
  for (std::size_t i = first + 1; i <= hypothesis.size(); ++i) {
    next_row(i, hypothesis[i - 1], above, below_.data());
    std::swap(above_, below_);
    above = above_.data();
  }
  return above[rows_.back().end - rows_.back().begin];
}

void TerEditDistance::align(TerAlignment& alignment) const {
  alignment.consumed.assign(reference_.size(), 0);
  alignment.wrong_reference.assign(reference_.size() - 1, 0);
  alignment.wrong_hypothesis.assign(hypothesis_.size(), 0);
  auto i = hypothesis_.size();
  for (auto j = reference_.size() - 1; i > 0 || j > 0;) {
    const auto column = static_cast<std::int32_t>(j);
    const auto wrong = j > 0 && i > 0 && hypothesis_[i - 1] != reference_[j];
    if (i > 0 && j > 0 && cell(i, column) == cell(i - 1, column - 1) + wrong) {
      alignment.consumed[j] = static_cast<std::int32_t>(i);
      alignment.wrong_hypothesis[--i] = alignment.wrong_reference[--j] = wrong;
    } else if (i > 0 && cell(i, column) == cell(i - 1, column) + 1) {
      alignment.wrong_hypothesis[--i] = 1;
    } else {
      alignment.consumed[j] = static_cast<std::int32_t>(i);
      alignment.wrong_reference[--j] = 1;
    }
  }
}

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
