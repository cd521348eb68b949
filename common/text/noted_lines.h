#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gloss {

/// How many lines of a text have something about them, and the numbers (from 1) of the first five.
struct NotedLines {
  std::int64_t count = 0;
  std::vector<std::int64_t> first_lines;

  void note(std::int64_t line);
  /// "first lines: 3, 7, 9"
  std::string text() const;
};

}  // namespace gloss
