#pragma once

#include <string_view>

namespace gloss {

/// Thrown if the reader of the results has closed the pipe, as in `gloss translate ... | head`. Ends the program
/// quietly.
struct ClosedOutput {};

/// Writes all of the text to stdout at once, in parts that end with a line. Throws ClosedOutput, IoError if stdout
/// cannot be written, and Stopped if a stop was requested while the reader does not read.
void write_result(std::string_view text);

}  // namespace gloss
