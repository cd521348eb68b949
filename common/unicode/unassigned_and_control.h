#pragma once

namespace gloss {

/// Returns whether a character is of Unicode's general category C: control, format, private use, or unassigned. These
/// include U+00AD, U+200B, U+2060 and U+FEFF. unassigned_and_control.cpp names the version of Unicode.
bool is_unassigned_or_control(char32_t character);

}  // namespace gloss
