#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gloss {

/// Words as numbers: equal words have equal ones, none is below -1.
using TerWords = std::span<const std::int32_t>;

/// How an edit path takes a hypothesis of H words to a reference of R words.
struct TerAlignment {
  std::vector<std::int32_t> behind;            ///< [R + 1] words of the hypothesis used up when k of the reference are
  std::vector<std::uint8_t> wrong_hypothesis;  ///< [H] whether a word is deleted or substituted
  std::vector<std::uint8_t> wrong_reference;   ///< [R] whether a word is inserted or substituted
};

/// Edit distance (Levenshtein 1966) from hypotheses of one length to a reference; insertion, deletion and substitution
/// cost 1. Searched in a beam of 25 words to both sides of the diagonal, which is that of the ratio of the lengths, as
/// sacreBLEU's TER does; a text so much shorter than the other that the beam would miss has a wider one.
///
/// Kept are the rows of one hypothesis, so that another costs only the rows from the first word in which it differs.
class TerEditDistance {
 public:
  /// The reference, and the number of words of all hypotheses to come.
  void begin(TerWords reference, std::size_t length);

  /// Sets the hypothesis that others are compared with. Returns its distance.
  std::int32_t set(TerWords hypothesis);
  /// The distance of one that equals it up to word `first`.
  std::int32_t changed(TerWords hypothesis, std::size_t first);
  /// The path of the hypothesis that was set. Of equally short ones it prefers, seen from the end, to keep or
  /// substitute a word, then to delete, then to insert.
  void align(TerAlignment& alignment) const;

 private:
  // A row holds columns [begin, end) and what its neighbors read beyond them: one column more on the left, on the
  // right those that the next row has in addition.
  struct Row {
    std::int32_t begin, end, stored_end;
    std::ptrdiff_t origin;  // of column 0 among the cells
  };

  std::int32_t cell(std::size_t i, std::int32_t j) const {
    return cells_[static_cast<std::size_t>(rows_[i].origin + j)];
  }
  void next_row(std::size_t i, std::int32_t word, const std::int32_t* above, std::int32_t* row) const;

  TerWords hypothesis_;
  std::vector<std::int32_t> reference_;  // [1 + R], of which the first equals no word
  std::vector<Row> rows_;                // [H + 1]
  std::vector<std::int32_t> cells_;      // edits from nothing to nothing, up to (words of hypothesis, of reference)
  std::vector<std::int32_t> above_, below_;
};

}  // namespace gloss
