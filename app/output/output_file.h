#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "common/files/atomic_file.h"

namespace gloss {

/// Results of a command. They go to stdout at once, or to a file that appears complete or not at all and replaces one
/// that is there.
///
///     OutputFile output(options.output);  // before hours of work: a folder that cannot be written is refused here
///     output.write(lines);
///     output.commit();
class OutputFile {
 public:
  /// Throws IoError where the file cannot be created. Without a path the results go to stdout.
  explicit OutputFile(const std::optional<std::filesystem::path>& path);

  bool is_stdout() const { return !file_; }
  /// Throws IoError, or ClosedOutput as write_result does.
  void write(std::string_view text);
  /// Gives the file its name. Without a call of it there is no file. Throws IoError.
  void commit();

 private:
  std::optional<AtomicFile> file_;
};

}  // namespace gloss
