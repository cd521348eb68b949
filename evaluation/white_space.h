#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gloss {

// White space is what Python's str.split() takes for it.

constexpr bool is_white_space(char32_t c) {
  if (c < 0x80) return (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= ' ');
  return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
         c == 0x202f || c == 0x205f || c == 0x3000;
}

/// Bytes of the white space that stands at `offset` of UTF-8, 0 where none does.
std::size_t white_space_at(std::string_view text, std::size_t offset);

/// The text without the white space at its end, as str.rstrip() leaves it.
std::string_view strip_end(std::string_view text);
/// Without that at both ends, as str.strip() leaves it.
std::string_view strip(std::string_view text);
/// One space wherever there was white space, none at the ends.
std::string single_spaced(std::string_view text);

}  // namespace gloss
