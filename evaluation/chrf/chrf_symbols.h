#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "evaluation/ngrams/number_table.h"

namespace gloss {

/// The characters and words of a line as numbers, the symbols of chrF's n-grams. Each maximal invalid part of UTF-8
/// counts as one U+FFFD.
class ChrfSymbols {
 public:
  /// Reads a line. White space (as defined by Python) counts as characters only if `with_white_space`.
  void read(std::string_view line, bool with_white_space);
  /// Splits the line into words at white space. An ASCII punctuation mark at the end of a word, or else at its
  /// beginning, becomes a word of its own. Equal words have equal numbers in `table`.
  void number_words(PrefixTable& table);

  /// Returns the number of characters, including white space.
  std::size_t size() const { return points_.size(); }
  std::span<const std::uint32_t> characters() const { return with_white_space_ ? points_ : characters_; }
  std::span<const std::uint32_t> words() const { return words_; }

 private:
  void add_word(PrefixTable& table, std::size_t begin, std::size_t end);

  bool with_white_space_ = false;
  std::vector<std::uint32_t> points_, characters_, words_;
};

}  // namespace gloss
