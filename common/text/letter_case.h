#pragma once

#include <string>
#include <string_view>

namespace gloss {

/// Returns the lower-case letter of c, or c itself: Latin, Greek, Cyrillic and Armenian. Its UTF-8 is as long as that
/// of c.
char32_t lower_case(char32_t c);
/// Returns the upper-case letter of c, or c itself: the inverse of lower_case, and the final sigma. ß has none. i
/// becomes I, in Turkish, too.
char32_t upper_case(char32_t c);
/// Returns whether c is an upper-case letter of these scripts.
inline bool is_upper_case(char32_t c) { return lower_case(c) != c || c == U'\u0130'; }

/// Returns a text with the letters of ASCII in lower case.
std::string lower_ascii(std::string_view text);

/// Returns the character that Unicode composes (NFC) of a letter and a combining mark, or 0: Latin, Greek, Cyrillic and
/// kana.
char32_t composed(char32_t letter, char32_t mark);

}  // namespace gloss
