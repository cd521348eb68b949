#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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

/// Appends valid UTF-8 in lower case, as Python's str.lower(). Every character is converted by itself, except for a
/// capital sigma, which depends on whether it ends a word (Unicode, table 3-17, Final_Sigma). Invalid bytes are kept.
/// unicode_tables.cpp names the versions.
void append_lower(std::string_view text, std::string& result);

inline std::string lower(std::string_view text) {
  std::string result;
  append_lower(text, result);
  return result;
}

}  // namespace gloss
