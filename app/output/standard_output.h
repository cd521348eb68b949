#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "common/files/atomic_file.h"

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

/// The output of a command: stdout, or a file that appears complete or not at all and replaces an existing one.
///
///     OutputFile output(options.output);  // before hours of work: a folder that cannot be written is refused here
///     output.write(lines);
///     output.commit();
class OutputFile {
 public:
  /// Opens the output; without a path it is stdout. Throws IoError if the file cannot be created.
  explicit OutputFile(const std::optional<std::filesystem::path>& path);

  bool is_stdout() const { return !file_; }
  /// Writes the text, to stdout at once. Throws IoError, or ClosedOutput as write_result does.
  void write(std::string_view text);
  /// Gives the file its name. Without this call no file appears. Throws IoError.
  void commit();

 private:
  std::optional<AtomicFile> file_;
};

}  // namespace gloss
