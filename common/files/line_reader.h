#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/files/descriptor.h"
#include "common/text/line_splitter.h"

namespace gloss {

/// How often a text is read. A pipe can be read but once.
enum class Passes { kOne, kSeveral };

/// Lines of a text file, one at a time, as LineSplitter cuts them. Memory does not grow with the file or its lines.
class LineReader {
 public:
  /// Throws DataError where the path is missing, a folder, compressed or UTF-16; UsageError where it is a device, or a
  /// pipe and not read in one pass (a terminal counts as a pipe); IoError where it cannot be read.
  explicit LineReader(const std::filesystem::path& path, Passes passes = Passes::kSeveral);
  /// Reads what is open, from where it stands; messages call it `name`. Throws DataError where it is compressed or
  /// UTF-16, IoError where it cannot be read.
  LineReader(Descriptor descriptor, const std::string& name, LineEnds ends = LineEnds::kLineFeed);

  /// False at the end. A line longer than `kMaxLineBytes` is cut there, read to its end and marked `overlong`. Throws
  /// IoError.
  bool next(std::string& line);
  bool overlong() const { return overlong_; }
  std::int64_t line_number() const { return line_number_; }  ///< of the last line read, from 1
  bool crlf() const { return crlf_; }                        ///< the last line ended in CRLF
  bool saw_crlf() const { return saw_crlf_; }                ///< some line did

  static constexpr std::size_t kMaxLineBytes = LineSplitter::kMaxLineBytes;

 private:
  void begin();
  bool fill();

  std::filesystem::path path_;
  Descriptor descriptor_;
  std::vector<char> buffer_;
  std::string_view rest_;  ///< what of the buffer is still to be cut
  LineSplitter splitter_;
  std::int64_t line_number_ = 0;
  bool overlong_ = false;
  bool crlf_ = false, saw_crlf_ = false;
};

}  // namespace gloss
