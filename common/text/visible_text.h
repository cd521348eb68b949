#pragma once

#include <string>
#include <string_view>

namespace gloss {

/// Returns the text as models read it: without soft hyphens (U+00AD), word joiners and invisible operators (U+2060 to
/// U+2064, U+FEFF), and marks of the direction (U+202A to U+202E, U+2066 to U+2069), which stand inside words without
/// being a part of them. Joiners of letters (U+200C, U+200D) stay. `text` is valid UTF-8.
std::string visible_text(std::string_view text);

/// Kind of the contents of a text in valid UTF-8.
enum class TextContent {
  kNothing,  ///< white space
  kSymbols,  ///< punctuation and symbols
  kWords,    ///< a letter or digit, and anything else
};
TextContent content_of(std::string_view text);

}  // namespace gloss
