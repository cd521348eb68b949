#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "common/files/atomic_file.h"

namespace gloss {

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
