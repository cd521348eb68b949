#pragma once

#include <cstdint>
#include <vector>

namespace gloss {

/// Character classes of Python and its regex module: one byte of these bits for each code point.
class CharacterClasses {
 public:
  static constexpr std::uint8_t kPunctuation = 1, kSymbol = 2, kNumber = 4;  ///< regex's \p{P}, \p{S}, \p{N}
  static constexpr std::uint8_t kCased = 8, kCaseIgnorable = 16;             ///< for str.lower()'s final sigma
  static constexpr std::uint8_t kHasLower = 32;                              ///< str.lower() changes it

  /// Returns the table, which is built at the first call.
  static const CharacterClasses& table();

  /// Returns the bits of `c`, at most U+10FFFF.
  std::uint8_t operator[](char32_t c) const { return classes_[c]; }

 private:
  CharacterClasses();

  std::vector<std::uint8_t> classes_;
};

}  // namespace gloss
