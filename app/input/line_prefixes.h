#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gloss {

/// The required beginnings of translations (--prefix), from a file with one line, possibly empty, for each line of the
/// input.
class LinePrefixes {
 public:
  /// Reads the file. Without a file, no beginning is required. Throws UsageError if the file does not exist, and as
  /// read_lines.
  explicit LinePrefixes(const std::optional<std::filesystem::path>& file);

  /// Returns the prefixes of `count` lines from number `first` on, counted from 0; empty without a file. Throws
  /// DataError if the file is shorter.
  std::span<const std::string> of(std::int64_t first, std::size_t count) const;
  /// Throws DataError unless the file has exactly `lines` lines, the number of lines of the input.
  void expect_end(std::int64_t lines) const;

 private:
  std::optional<std::filesystem::path> file_;
  std::vector<std::string> prefixes_;
};

}  // namespace gloss
