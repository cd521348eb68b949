#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace gloss {

/// The place of a text: a file, or a column of a table whose columns are separated by tabs. "pairs.tsv:2" is the second
/// column of pairs.tsv, unless there is a file of that name.
struct TextPath {
  std::filesystem::path file;
  std::size_t column = 0;  ///< from 1; 0: whole lines

  static TextPath of(const std::filesystem::path& path);

  /// Leaves only the column in `line`. Throws DataError naming the line's number if the line has fewer columns.
  void select(std::string& line, std::int64_t number) const;
};

}  // namespace gloss
