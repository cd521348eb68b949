#pragma once

#include <string_view>

namespace gloss {

/// Thrown where nobody reads the results any more, as in `gloss translate ... | head`; ends the program quietly.
struct ClosedOutput {};

/// Writes results to stdout, all of them and at once, in parts that end with a line. Throws ClosedOutput, IoError where
/// stdout cannot be written, and Stopped where a stop was requested and nobody reads.
void write_result(std::string_view text);

}  // namespace gloss
