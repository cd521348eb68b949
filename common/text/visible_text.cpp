#include "common/text/visible_text.h"

#include "common/text/utf8.h"
#include "common/text/white_space.h"
#include "common/text/word_boundary.h"

namespace gloss {
namespace {

bool is_left_out(char32_t c) {
  return c == 0xad || (c >= 0x202a && c <= 0x202e) || (c >= 0x2060 && c <= 0x2064) || (c >= 0x2066 && c <= 0x2069) ||
         c == 0xfeff;
}

}  // namespace

std::string visible_text(std::string_view text) {
  std::string result;
  for (std::size_t offset = 0; offset < text.size();) {
    const auto [value, bytes] = decode_utf8(text, offset);
    if (!is_left_out(value.value_or(0))) result += text.substr(offset, bytes);
    offset += bytes;
  }
  return result;
}

TextContent content_of(std::string_view text) {
  auto content = TextContent::kNothing;
  for (std::size_t offset = 0; offset < text.size();) {
    const auto [value, bytes] = decode_utf8(text, offset);
    offset += bytes;
    const auto c = value.value_or(0);
    const bool of_emoji = c == 0x200d || c == 0xfe0f;  // a joiner, and the choice of a colored form
    if (!of_emoji && (is_letter(c) || is_ascii_digit(c))) return TextContent::kWords;
    if (!is_white_space(c)) content = TextContent::kSymbols;
  }
  return content;
}

}  // namespace gloss
