#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace gloss {

/// A character that a text spells as \uXXXX, or as two of them.
struct EscapedCharacter {
  char32_t value;     ///< a lone surrogate stands for itself and makes a text that is not valid UTF-8
  std::size_t bytes;  ///< of the text: 6 or 12
};

/// Reads \uXXXX or \UXXXX at the beginning of a text, and a second one if both are a surrogate pair.
std::optional<EscapedCharacter> read_utf16_escape(std::string_view text);

}  // namespace gloss
