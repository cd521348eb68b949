#pragma once

#include <string_view>

namespace gloss {

/// White space of ASCII.
inline constexpr std::string_view kAsciiSpace = " \t\n\v\f\r";

/// Returns whether Python's str.split() treats the character as white space.
constexpr bool is_white_space(char32_t c) {
  if (c < 0x80) return (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= ' ');
  return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
         c == 0x202f || c == 0x205f || c == 0x3000;
}

}  // namespace gloss
