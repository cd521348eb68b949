#include "evaluation/tokenize/strip.h"

#include "common/text/utf8.h"

namespace gloss {
namespace {

/// Returns whether the byte is the first one of white space outside ASCII, in UTF-8.
bool begins_wide_space(char c) { return c == '\xc2' || c == '\xe1' || c == '\xe2' || c == '\xe3'; }

}  // namespace

std::size_t white_space_at(std::string_view text, std::size_t offset) {
  const char first = text[offset];
  if (static_cast<unsigned char>(first) < 0x80) return is_white_space(static_cast<unsigned char>(first));
  if (!begins_wide_space(first)) return 0;
  const auto point = decode_utf8(text, offset);
  return point.value && is_white_space(*point.value) ? point.bytes : 0;
}

std::string_view strip_end(std::string_view text) {
  while (!text.empty()) {
    const auto last = last_character(text);
    if (white_space_at(text, last) != text.size() - last) break;
    text.remove_suffix(text.size() - last);
  }
  return text;
}

std::string_view strip(std::string_view text) {
  while (!text.empty()) {
    const auto space = white_space_at(text, 0);
    if (space == 0) break;
    text.remove_prefix(space);
  }
  return strip_end(text);
}

std::string single_spaced(std::string_view text) {
  std::string result;
  bool after_space = false;
  for (std::size_t i = 0; i < text.size();) {
    if (const auto space = white_space_at(text, i)) {
      after_space = true;
      i += space;
      continue;
    }
    if (after_space && !result.empty()) result += ' ';
    after_space = false;
    result += text[i++];
  }
  return result;
}

}  // namespace gloss
