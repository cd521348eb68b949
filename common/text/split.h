#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace gloss {

/// Splits a text at each separator and returns views of the parts; an empty text has one part. There are at most
/// `max_parts`; the last one keeps its separators.
inline std::vector<std::string_view> split_text(std::string_view text, char separator,
                                                std::size_t max_parts = std::string_view::npos) {
  std::vector<std::string_view> parts;
  for (auto end = text.find(separator); end != text.npos && parts.size() + 1 < max_parts; end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

/// Returns the number that the whole text spells; nothing for any other text.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number = {};
  const auto* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

/// White space of ASCII.
inline constexpr std::string_view kAsciiSpace = " \t\n\v\f\r";

/// Returns whether Python's str.split() treats the character as white space.
constexpr bool is_white_space(char32_t c) {
  if (c < 0x80) return (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= ' ');
  return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
         c == 0x202f || c == 0x205f || c == 0x3000;
}

/// SentencePiece's mark of a space within a piece, U+2581.
inline constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

}  // namespace gloss
