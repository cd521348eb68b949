#include "evaluation/tokenize/characters.h"

#include <span>

#include "evaluation/tokenize/unicode_tables.h"

namespace gloss {

const CharacterClasses& CharacterClasses::table() {
  static const CharacterClasses classes;
  return classes;
}

CharacterClasses::CharacterClasses() : classes_(0x110000) {
  const auto mark = [this](std::span<const CodePointRange> ranges, std::uint8_t bit) {
    for (const auto& range : ranges)
      for (char32_t c = range.first; c <= range.last; ++c) classes_[c] |= bit;
  };
  mark(punctuation_ranges(), kPunctuation);
  mark(symbols_ranges(), kSymbol);
  mark(numbers_ranges(), kNumber);
  mark(cased_ranges(), kCased);
  mark(case_ignorable_ranges(), kCaseIgnorable);
  for (const auto& range : lower_ranges())
    for (char32_t c = range.first; c <= range.last; c += static_cast<char32_t>(range.step)) classes_[c] |= kHasLower;
  classes_[0x130] |= kHasLower;
}

}  // namespace gloss
