#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gloss {

/// What stands at one place of a text.
struct CodePoint {
  std::optional<char32_t> value;  ///< absent where the bytes are not UTF-8
  std::size_t bytes;  ///< its length, or that of the maximal invalid part (Unicode, section 3.9); at least 1
};

/// The code point at `offset`, which must be below the text's size.
CodePoint decode_utf8(std::string_view text, std::size_t offset);

/// The offset of the first byte that is not valid UTF-8 (RFC 3629: no overlong form, no surrogate, at most U+10FFFF).
std::optional<std::size_t> first_invalid_utf8(std::string_view text);
inline bool is_utf8(std::string_view text) { return !first_invalid_utf8(text); }
/// Valid UTF-8 without a NUL.
inline bool is_text(std::string_view text) { return text.find('\0') == text.npos && is_utf8(text); }

/// The text with each maximal invalid part, and each NUL, replaced by U+FFFD.
std::string repair_utf8(std::string_view text);

/// Adds a code point, at most U+10FFFF, as UTF-8.
void append_utf8(char32_t character, std::string& text);

/// Where the last character of a text that is not empty begins: before the bytes at its end that continue one, of which
/// at most three are passed.
std::size_t last_character(std::string_view text);

/// Number of code points of valid UTF-8.
std::size_t count_code_points(std::string_view text);

}  // namespace gloss
