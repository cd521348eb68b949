#pragma once

#include <string>
#include <string_view>

namespace gloss {

// Numbers and strings as Python writes them.

/// Returns f"{value:.{digits}f}".
std::string fixed(double value, int digits);
/// Returns repr(value), which has the fewest digits that parse to an equal number and at least one after the point.
/// "NaN" and "Infinity" are spelled as by Python's json.
std::string python_number(double value);
/// Returns a JSON string. With `ascii`, all characters outside printable ASCII are escaped as \uXXXX, the default of
/// Python's json.
std::string python_json_string(std::string_view text, bool ascii);

}  // namespace gloss
