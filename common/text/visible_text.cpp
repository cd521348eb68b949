#include "common/text/visible_text.h"

#include "common/text/split.h"
#include "common/text/utf8.h"
#include "common/text/word_boundary.h"

namespace gloss {
namespace {

constexpr char32_t kZeroWidthSpace = 0x200b;

bool is_invisible(char32_t c) {
  return c == 0xad || c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
}

}  // namespace

std::string visible_text(std::string_view text) {
  std::string result;
  for_each_character(text, [&](auto value, std::string_view spelling) {
    const auto c = value.value_or(0);
    const bool separates_nothing = c == kZeroWidthSpace && last_kind(result) != CharacterKind::kUnspaced;
    if (!is_invisible(c) && !separates_nothing) result += spelling;
  });
  return result;
}

std::string on_one_line(std::string_view text) {
  std::string result;
  for_each_character(text, [&](auto value, std::string_view spelling) {
    const auto c = value.value_or(0);
    result += c == '\n' || c == '\r' || is_line_separator(c) ? " " : spelling;
  });
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
