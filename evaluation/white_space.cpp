#include "evaluation/white_space.h"

#include <algorithm>
#include <array>

namespace gloss {
namespace {

/// The white space of Unicode beyond ASCII, in UTF-8.
constexpr std::array<std::string_view, 19> kWideSpaces = {
    "\u0085", "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006",
    "\u2007", "\u2008", "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"};

bool is_ascii_space(char c) { return (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= ' '); }

/// Of the first bytes of those above.
bool begins_wide_space(char c) { return c == '\xc2' || c == '\xe1' || c == '\xe2' || c == '\xe3'; }

}  // namespace

std::size_t white_space_at(std::string_view text, std::size_t offset) {
  const char first = text[offset];
  if (is_ascii_space(first)) return 1;
  if (!begins_wide_space(first)) return 0;
  const auto rest = text.substr(offset);
  const auto* space = std::ranges::find_if(kWideSpaces, [&](auto wide) { return rest.starts_with(wide); });
  return space == kWideSpaces.end() ? 0 : space->size();
}

std::string_view strip_end(std::string_view text) {
  while (!text.empty()) {
    if (is_ascii_space(text.back())) {
      text.remove_suffix(1);
      continue;
    }
    if (static_cast<unsigned char>(text.back()) < 0x80) break;
    const auto* space = std::ranges::find_if(kWideSpaces, [&](auto wide) { return text.ends_with(wide); });
    if (space == kWideSpaces.end()) break;
    text.remove_suffix(space->size());
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
  bool behind_space = false;
  for (std::size_t i = 0; i < text.size();) {
    if (const auto space = white_space_at(text, i)) {
      behind_space = true;
      i += space;
      continue;
    }
    if (behind_space && !result.empty()) result += ' ';
    behind_space = false;
    result += text[i++];
  }
  return result;
}

}  // namespace gloss
