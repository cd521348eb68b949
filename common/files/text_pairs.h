#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "common/files/line_reader.h"
#include "common/text/format.h"

namespace gloss {

/// Reads all lines of a text; broken UTF-8 becomes U+FFFD.
class TextLines {
 public:
  /// Throws as LineReader does.
  TextLines(std::filesystem::path path, Passes passes) : path_(std::move(path)), reader_(path_, passes) {}

  /// Reads the next line. Returns false at the end. Throws DataError if the line exceeds LineReader::kMaxLineBytes, and
  /// as LineReader does.
  bool next(std::string& line);
  std::int64_t count() const { return reader_.line_number(); }  ///< number of lines read so far
  /// Logs a warning if some lines were broken.
  void warn_of_broken() const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  LineReader reader_;
  NotedLines broken_;
};

/// Returns all lines of a text. Broken UTF-8 and NUL become U+FFFD, with a warning. Throws as TextLines.
std::vector<std::string> read_lines(const std::filesystem::path& path, Passes passes = Passes::kSeveral);

/// Lines of two aligned texts: source sentences and their reference translations.
struct LinePairs {
  std::vector<std::string> sources, references;
};

/// Reads both texts. Throws DataError if their numbers of lines differ, and as read_lines.
LinePairs read_line_pairs(const std::filesystem::path& source, const std::filesystem::path& reference);

/// Reads two aligned texts side by side. Memory does not grow with the texts.
class TextPairs {
 public:
  TextPairs(const std::filesystem::path& source, const std::filesystem::path& reference, Passes passes = Passes::kOne)
      : source_(source, passes), reference_(reference, passes) {}

  /// Returns the next pairs, at most `max_pairs`; none at the end, when it also warns of broken lines. Throws as
  /// TextLines does, and DataError if one text ends before the other.
  LinePairs next(std::size_t max_pairs);

 private:
  TextLines source_, reference_;
};

}  // namespace gloss
