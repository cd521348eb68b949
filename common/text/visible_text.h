#pragma once

#include <string>
#include <string_view>

namespace gloss {

/// Returns the text as models read it: without characters that have no width and no meaning of their own. These are
/// soft hyphens (U+00AD), marks of direction (U+061C, U+200E, U+200F, U+202A to U+202E), word joiners, invisible
/// operators and isolates (U+2060 to U+206F), and U+FEFF. Joiners of letters (U+200C, U+200D), which Persian and Indic
/// spelling need, stay. The space without width (U+200B) stays after a letter of a script without spaces, where it
/// separates words (Thai, Khmer, Burmese); elsewhere it is left out.
std::string visible_text(std::string_view text);

/// Returns whether other programs end a line at this character, but gloss does not: VT, FF, FS, GS, RS, U+0085, U+2028,
/// U+2029 (Python's str.splitlines).
constexpr bool is_line_separator(char32_t c) {
  return c == 0x0B || c == 0x0C || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

/// Returns the text as one line for every program: a space in place of each line end and line separator.
std::string on_one_line(std::string_view text);

/// Kind of the contents of a text in valid UTF-8.
enum class TextContent {
  kNothing,  ///< white space
  kSymbols,  ///< punctuation and symbols
  kWords,    ///< a letter or digit, and anything else
};
TextContent content_of(std::string_view text);

/// Returns whether a line has only white space and characters that visible_text leaves out.
inline bool is_blank(std::string_view line) { return content_of(visible_text(line)) == TextContent::kNothing; }

}  // namespace gloss
