#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gloss {

/// Returns the terminal columns of a character: 0 for a combining mark; 2 for an ideograph, a Hangul syllable, an emoji
/// or another wide form; 1 for any other. By Unicode blocks (UAX 11); independent of the locale.
std::size_t columns_of(char32_t character);

/// Returns the terminal columns of a text without control characters.
std::size_t columns_of(std::string_view text);

/// Returns the longest prefix of whole characters that takes at most `columns`.
std::string_view first_columns(std::string_view text, std::size_t columns);

/// Returns the text if it takes at most `columns`, otherwise a prefix of it with "..." at its end that does.
///
///     shortened("A man sleeps.", 8)  // "A man..."
std::string shortened(std::string_view text, std::size_t columns);

/// Returns the text in lines of at most `columns`, broken at spaces where possible; lines after the first are indented
/// by two spaces. Returns the text itself if `columns` is less than 20.
std::string wrapped(std::string_view text, std::size_t columns);

}  // namespace gloss
