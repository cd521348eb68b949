#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gloss {

/// Counts lines with some property and stores the numbers (from 1) of the first five.
struct NotedLines {
  std::int64_t count = 0;
  std::vector<std::int64_t> first_lines;

  void note(std::int64_t line);
  /// Returns "first lines: 3, 7, 9".
  std::string text() const;
};

}  // namespace gloss
