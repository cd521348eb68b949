#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/split.h"

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

// White space is defined by is_white_space (common/text/split.h).

/// Returns the bytes of the white space at `offset` of UTF-8, or 0.
std::size_t white_space_at(std::string_view text, std::size_t offset);

/// Returns the text without white space at its end, as str.rstrip().
std::string_view strip_end(std::string_view text);
/// Returns the text without white space at both ends, as str.strip().
std::string_view strip(std::string_view text);
/// Returns the text with each run of white space replaced by one space, and without spaces at the ends.
std::string single_spaced(std::string_view text);

}  // namespace gloss
