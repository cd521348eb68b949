#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gloss {

/// Columns of a terminal that a character takes: 0 for a combining mark, 2 for an ideograph, a syllable of hangul, an
/// emoji or another wide form, 1 for every other character. By blocks of Unicode (UAX 11), no locale is used.
std::size_t columns_of(char32_t character);

/// Columns of a text without control characters.
std::size_t columns_of(std::string_view text);

/// The longest beginning of whole characters that takes at most `columns`.
std::string_view first_columns(std::string_view text, std::size_t columns);

/// The text where it takes at most `columns`, else a beginning that with "..." at its end takes at most `columns`.
///
///     shortened("A man sleeps.", 8)  // "A man..."
std::string shortened(std::string_view text, std::size_t columns);

}  // namespace gloss
