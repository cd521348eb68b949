#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gloss {

/// The beginnings that translations must have (--prefix): a file with a line, perhaps empty, for each line of the
/// input.
class LinePrefixes {
 public:
  /// Reads the file; without one nothing is forced. Throws UsageError where there is no such file, and as read_lines.
  explicit LinePrefixes(const std::optional<std::filesystem::path>& file);

  /// Of `count` lines from number `first`, counted from 0; none without a file. Throws DataError where the file is
  /// shorter.
  std::span<const std::string> of(std::int64_t first, std::size_t count) const;
  /// Throws DataError where the file has more than the `lines` of the input.
  void expect_end(std::int64_t lines) const;

 private:
  std::optional<std::filesystem::path> file_;
  std::vector<std::string> prefixes_;
};

}  // namespace gloss
