#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gloss::grammar {

/// A line of a grammar's text, without comment and outer white space.
struct Line {
  std::string_view text;
  std::size_t number;     ///< from 1
  std::string_view file;  ///< its name in messages

  /// Throws DataError with file, line and `what`.
  [[noreturn]] void refuse(const std::string& what) const;
};

/// Returns the lines that are not empty. Throws DataError if the text is not UTF-8.
std::vector<Line> grammar_lines(std::string_view text, std::string_view file);

/// Returns the text without white space at its ends.
std::string_view trim(std::string_view text);
/// Returns the parts between separators, trimmed.
std::vector<std::string_view> split(std::string_view text, char separator);
/// Returns the words between white space.
std::vector<std::string> split_words(std::string_view text);

}  // namespace gloss::grammar
