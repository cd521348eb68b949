#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "evaluation/statistics/number_table.h"

namespace gloss {

/// Characters and words of a line as numbers, as chrF takes its n-grams from them. Bytes that are not UTF-8 count as
/// one U+FFFD for each maximal invalid part.
class ChrfSymbols {
 public:
  /// White space (Python's) is a character only if `with_white_space`.
  void read(std::string_view line, bool with_white_space);
  /// The words of the line that was read: what white space sets apart, without the ASCII punctuation mark at the end of
  /// one, or else at its begin, which is a word of its own; equal words have equal numbers in `table`.
  void number_words(PrefixTable& table);

  /// Every character, white space too.
  std::size_t size() const { return points_.size(); }
  std::span<const std::uint32_t> characters() const { return with_white_space_ ? points_ : characters_; }
  std::span<const std::uint32_t> words() const { return words_; }

 private:
  void add_word(PrefixTable& table, std::size_t begin, std::size_t end);

  bool with_white_space_ = false;
  std::vector<std::uint32_t> points_, characters_, words_;
};

}  // namespace gloss
