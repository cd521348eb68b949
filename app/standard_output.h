#pragma once

#include <string_view>

namespace gloss {

/// Thrown where nobody reads the results any more, as in `gloss translate ... | head`; ends the program quietly.
struct ClosedOutput {};

/// Writes results to stdout, all of them and at once. Throws ClosedOutput, or IoError where stdout cannot be written.
void write_result(std::string_view text);

}  // namespace gloss
