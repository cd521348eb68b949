#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace gloss {

/// Finds the pairs among the runs of * and _ and ~ of a text (CommonMark, section 6.2 and "process emphasis").
class MarkdownEmphasis {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// One or two delimiters that open, and as many that close. Numbers are those of the first character.
  struct Pair {
    std::size_t opening = 0, closing = 0, width = 1;
  };

  /// Adds the run at `at`, whose first character has the number `first`, and returns the offset after it.
  std::size_t add_run(std::string_view text, std::size_t at, std::size_t first);
  /// Returns the last run; kNone if there is none.
  std::size_t last() const { return last_; }
  /// Returns the pairs among the runs after `bottom` (kNone: all), and forgets these runs.
  std::vector<Pair> pairs_after(std::size_t bottom);

 private:
  struct Run {
    char character = 0;
    bool opens = false, closes = false;
    std::size_t length = 0;
    std::size_t begin = 0, end = 0;  ///< numbers of the characters that are left
    std::size_t before = kNone, after = kNone;
  };
  static bool may_pair(const Run& opener, const Run& closer);
  void remove(std::size_t run);

  std::vector<Run> runs_;
  std::size_t last_ = kNone;
};

}  // namespace gloss
