#pragma once

#include <string>
#include <string_view>

namespace gloss {

// Numbers and strings as Python writes them.

/// f"{value:.{digits}f}"
std::string fixed(double value, int digits);
/// repr(value): as few digits as read back equal, at least one after the point; "NaN" and "Infinity" as its json
/// writes.
std::string python_number(double value);
/// A JSON string; where `ascii` everything else as \uXXXX, as Python's json does by itself.
std::string python_json_string(std::string_view text, bool ascii);

}  // namespace gloss
