#pragma once

#include <string>
#include <string_view>

namespace gloss {

/// Thrown if the reader of the results has closed the pipe, as in `gloss translate ... | head`. Ends the program
/// quietly.
struct ClosedOutput {};

/// Writes all of the text to stdout at once, in parts that end with a line. Throws ClosedOutput, IoError if stdout
/// cannot be written, and Stopped if a stop was requested while the reader does not read.
void write_result(std::string_view text);
/// Returns a report of several lines, or JSON, in a form that cannot control a terminal, whatever names and values from
/// files of others it has: invalid UTF-8 is replaced, and control characters except for tabs and line feeds are escaped
/// as in JSON, which keeps its meaning.
std::string printable_report(std::string_view text);
/// Writes printable_report(text). Throws as write_result.
void write_report(std::string_view text);

}  // namespace gloss
