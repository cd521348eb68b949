#pragma once

#include <cstdint>
#include <vector>

namespace gloss {

/// What Python and its regex module say of a character: one byte of these bits for each code point.
class CharacterClasses {
 public:
  static constexpr std::uint8_t kPunctuation = 1, kSymbol = 2, kNumber = 4;  ///< regex's \p{P}, \p{S}, \p{N}
  static constexpr std::uint8_t kCased = 8, kCaseIgnorable = 16;             ///< for str.lower()'s final sigma
  static constexpr std::uint8_t kHasLower = 32;                              ///< str.lower() changes it

  /// Made at the first call.
  static const CharacterClasses& table();

  /// `c`: at most U+10FFFF.
  std::uint8_t operator[](char32_t c) const { return classes_[c]; }

 private:
  CharacterClasses();

  std::vector<std::uint8_t> classes_;
};

}  // namespace gloss
