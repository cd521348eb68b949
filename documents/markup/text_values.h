#pragma once

#include <cstddef>
#include <string_view>

namespace gloss {

/// Limit of the texts of a translation file that is read as a whole.
inline constexpr std::size_t kMaxValues = 1'000'000;

/// Returns whether a value of a translation file is text to translate. These are not: values without a letter outside
/// of placeholders (URLs and ICU messages among them) and formats of dates; and, without white space, colors, dates,
/// paths, true and false, identifiers (btn_primary, :short, app.title), numbers of parts (ID-12) and ASCII of more than
/// 60 characters. Single words are text.
bool is_translatable_value(std::string_view value);

}  // namespace gloss
