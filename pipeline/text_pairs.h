#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "common/files/line_reader.h"
#include "common/text/noted_lines.h"

namespace gloss {

/// The lines of a text, none left out; broken UTF-8 becomes U+FFFD.
class TextLines {
 public:
  /// Throws as LineReader does.
  TextLines(std::filesystem::path path, Passes passes) : path_(std::move(path)), reader_(path_, passes) {}

  /// False at the end. Throws DataError where a line is too long to be kept whole, and as LineReader does.
  bool next(std::string& line);
  std::int64_t count() const { return reader_.line_number(); }  ///< of the lines read so far
  /// Logs a warning where some of them were broken.
  void warn_of_broken() const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  LineReader reader_;
  NotedLines broken_;
};

/// Sentences to translate and what they should become, line by line.
struct TestSet {
  std::vector<std::string> sources, references;
};

/// Two aligned texts, each read once and side by side: memory does not grow with them.
class TextPairs {
 public:
  TextPairs(const std::filesystem::path& source, const std::filesystem::path& reference)
      : source_(source, Passes::kOne), reference_(reference, Passes::kOne) {}

  /// The next pairs, at most so many; none at the end, where what was broken is warned of. Throws as TextLines does,
  /// and DataError where one text ends before the other.
  TestSet next(std::size_t most);

 private:
  TextLines source_, reference_;
};

}  // namespace gloss
