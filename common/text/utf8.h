#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "common/text/text_span.h"

namespace gloss {

/// The character at one position of a text.
struct CodePoint {
  std::optional<char32_t> value;  ///< absent if the bytes are not valid UTF-8
  std::size_t bytes;  ///< length of the character, or of the maximal invalid part (Unicode, section 3.9); at least 1
};

/// Decodes the code point at `offset`, which must be less than the text's size.
CodePoint decode_utf8(std::string_view text, std::size_t offset);

/// Calls `take(value, spelling)` for each character of a text, and for each maximal invalid part, which has no value.
void for_each_character(std::string_view text, const auto& take) {
  for (std::size_t offset = 0; offset < text.size();) {
    const auto [value, bytes] = decode_utf8(text, offset);
    take(value, text.substr(offset, bytes));
    offset += bytes;
  }
}

/// Returns the offset of the first byte that is not valid UTF-8 (RFC 3629: no overlong form, no surrogate, at most
/// U+10FFFF).
std::optional<std::size_t> first_invalid_utf8(std::string_view text);
inline bool is_utf8(std::string_view text) { return !first_invalid_utf8(text); }
/// Returns whether the text is valid UTF-8 without a NUL.
inline bool is_text(std::string_view text) { return text.find('\0') == text.npos && is_utf8(text); }

/// Returns the text with each maximal invalid part and each NUL replaced by U+FFFD.
std::string repair_utf8(std::string_view text);

/// Appends a code point, at most U+10FFFF, as UTF-8.
void append_utf8(char32_t character, std::string& text);

/// Returns the offset of the last character of a nonempty text. At most three continuation bytes are skipped.
std::size_t last_character(std::string_view text);

/// Returns a range of a text without the white space at its ends (is_white_space).
TextSpan without_outer_space(std::string_view text, TextSpan range);

/// Returns the number of code points of valid UTF-8.
std::size_t count_code_points(std::string_view text);

}  // namespace gloss
