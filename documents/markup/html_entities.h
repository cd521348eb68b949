#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gloss {

/// A character reference of HTML.
struct CharacterReference {
  std::size_t bytes = 0;  ///< 0: the ampersand is only text
  std::string text;       ///< decoded; empty: the name is unknown
};

/// Reads the reference that begins with the ampersand at `offset`: numbers, and the names of HTML 4 and of Latin
/// letters. As in browsers, &#128; to &#159; are characters of windows-1252, and names of Latin-1 need no semicolon.
CharacterReference reference_at(std::string_view text, std::size_t offset, bool in_attribute);

/// Returns text with & < > and `quote` (0: none) escaped, and with no-break spaces as &nbsp; if `names_space`.
std::string escape_html(std::string_view text, char quote = 0, bool names_space = false);

}  // namespace gloss
