#include "common/text/printable.h"

#include <array>
#include <cstddef>
#include <cstdio>

#include "common/text/utf8.h"

namespace gloss {
namespace {

// Returns whether the character can move the cursor, end the line or reverse the text's direction.
bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

std::string escape(const char* form, unsigned value) {
  std::array<char, 16> buffer{};
  const auto length = std::snprintf(buffer.data(), buffer.size(), form, value);
  return {buffer.data(), static_cast<std::size_t>(length)};
}

std::string escape(char32_t control) {
  if (control == '\n') return "\\n";
  if (control == '\r') return "\\r";
  if (control == '\t') return "\\t";
  return escape(control < 0x80 ? "\\x%02x" : "\\u{%x}", control);
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
  std::string safe;
  for (std::size_t offset = 0, characters = 0; offset < text.size(); ++characters) {
    if (characters == limit) return safe + "...";
    const auto point = decode_utf8(text, offset);
    const auto part = text.substr(offset, point.bytes);
    if (!point.value) {
      for (const char c : part) safe += escape("\\x%02x", static_cast<unsigned char>(c));
    } else if (is_control(*point.value)) {
      safe += escape(*point.value);
    } else {
      safe += part;
    }
    offset += point.bytes;
  }
  return safe;
}

}  // namespace gloss
