#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gloss {

/// Words as numbers: equal words have equal numbers, at least -1.
using TerWords = std::span<const std::int32_t>;

/// An edit path from a hypothesis of H words to a reference of R words.
struct TerAlignment {
  std::vector<std::int32_t> consumed;          ///< [R + 1]: words of the hypothesis consumed by the first k words of
                                               ///< the reference
  std::vector<std::uint8_t> wrong_hypothesis;  ///< [H]: whether a word is deleted or substituted
  std::vector<std::uint8_t> wrong_reference;   ///< [R]: whether a word is inserted or substituted
};

/// Edit distance (Levenshtein 1966) from hypotheses of one length to a reference; insertion, deletion and substitution
/// cost 1. As in sacreBLEU's TER, the search uses a beam of 25 words on both sides of the diagonal, whose slope is the
/// ratio of the lengths. The beam is wider if one text is so much shorter that it would be missed.
///
/// The rows of one hypothesis are stored, so that another one costs only the rows from the first differing word on.
class TerEditDistance {
 public:
  /// Sets the reference and the number of words of all following hypotheses.
  void begin(TerWords reference, std::size_t length);

  /// Sets the hypothesis that others are compared with, and returns its distance.
  std::int32_t set(TerWords hypothesis);
  /// Returns the distance of a hypothesis that equals it up to word `first`.
  std::int32_t changed(TerWords hypothesis, std::size_t first);
  /// Returns the edit path of the hypothesis that was set. Among shortest paths, seen from the end, keeping or
  /// substituting a word is preferred to deleting, and deleting to inserting.
  void align(TerAlignment& alignment) const;

 private:
  // A row holds columns [begin, end) and the cells that its neighbors read beyond them. These are one column on the
  // left, and on the right the additional columns of the next row.
  struct Row {
    std::int32_t begin, end, stored_end;
    std::ptrdiff_t origin;  // index of column 0 in cells_
  };

  std::int32_t cell(std::size_t i, std::int32_t j) const {
    return cells_[static_cast<std::size_t>(rows_[i].origin + j)];
  }
  void next_row(std::size_t i, std::int32_t word, const std::int32_t* above, std::int32_t* row) const;

  TerWords hypothesis_;
  std::vector<std::int32_t> reference_;  // [1 + R]; the first equals no word
  std::vector<Row> rows_;                // [H + 1]
  std::vector<std::int32_t> cells_;      // edit distances of all prefixes: (words of hypothesis, of reference)
  std::vector<std::int32_t> above_, below_;
};

/// Counts TER's edits from a hypothesis to a reference (Snover et al. 2006, section 2): insertions, deletions,
/// substitutions, and shifts of a block of words. As long as a shift helps, the one with the shortest resulting edit
/// distance is made. The shifts tried, and their number, follow sacreBLEU and thus Tercom.
///
/// Reuses its memory from pair to pair.
class TerShifts {
 public:
  /// Returns the number of edits. Words are numbers below the reference's length, or -1 if the reference lacks them.
  std::int64_t edits(TerWords hypothesis, TerWords reference);

 private:
  /// Moves `length` words from `start` before word `target`. If `target` is one of them or the next word, they move
  /// right by its distance from `start`.
  struct Shift {
    std::size_t start, length, target;
    std::int32_t gain = 0;  // reduction of the edit distance
  };

  std::optional<Shift> best_shift(std::int32_t distance);
  void try_targets(std::int32_t distance, Shift shift, std::size_t match, std::optional<Shift>& best);
  std::int32_t distance_after(const Shift& shift);

  TerWords reference_;
  std::vector<std::int32_t> words_;    // the hypothesis after the shifts so far
  std::vector<std::int32_t> shifted_;  // a copy for trying shifts
  TerEditDistance edit_distance_;
  TerAlignment alignment_;
  std::int32_t lower_bound_ = 0;  // lower bound of the edit distance over all orders of the words
  int tried_ = 0;
};

}  // namespace gloss
