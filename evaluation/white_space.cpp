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

/// Bytes of the white space that `text` begins with, 0 where it begins with none.
std::size_t space_at_begin(std::string_view text) {
  if (is_ascii_space(text.front())) return 1;
  if (static_cast<unsigned char>(text.front()) < 0x80) return 0;
  const auto* space =
      std::find_if(kWideSpaces.begin(), kWideSpaces.end(), [&](auto wide) { return text.starts_with(wide); });
  return space == kWideSpaces.end() ? 0 : space->size();
}

}  // namespace

std::string_view strip_end(std::string_view text) {
  while (!text.empty()) {
    if (is_ascii_space(text.back())) {
      text.remove_suffix(1);
      continue;
    }
    const auto* space =
        std::find_if(kWideSpaces.begin(), kWideSpaces.end(), [&](auto wide) { return text.ends_with(wide); });
    if (space == kWideSpaces.end()) break;
    text.remove_suffix(space->size());
  }
  return text;
}

std::string_view strip(std::string_view text) {
  while (!text.empty()) {
    const auto space = space_at_begin(text);
    if (space == 0) break;
    text.remove_prefix(space);
  }
  return strip_end(text);
}

std::string single_spaced(std::string_view text) {
  std::string result;
  bool behind_space = false;
  while (!text.empty()) {
    if (const auto space = space_at_begin(text)) {
      behind_space = true;
      text.remove_prefix(space);
      continue;
    }
    if (behind_space && !result.empty()) result += ' ';
    behind_space = false;
    result += text.front();
    text.remove_prefix(1);
  }
  return result;
}

}  // namespace gloss
