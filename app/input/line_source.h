#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "common/files/gzip_decoder.h"
#include "common/files/line_reader.h"

namespace gloss {

/// Lines of a descriptor, which may be a pipe or a terminal. Waits only if no line is ready. Lines are cut as by
/// LineSplitter; gzip is decompressed. Memory: one read, one line and the lines that `next` returns.
class LineSource {
 public:
  /// `place` has the name of the descriptor in messages, and the column to read.
  LineSource(int descriptor, TextPath place);

  /// Waits until there is a line, then returns the lines that can be read without waiting, 1 to `max_lines`. Returns no
  /// lines at the end of the input or if a stop was requested (common/system/signals.h). Throws IoError,
  /// and DataError as LineReader.
  std::vector<TextLine> next(std::size_t max_lines);

 private:
  bool wait_for_input() const;
  void read_some();
  void split(std::string_view text);
  void add(TextLine line);

  int descriptor_;
  TextPath place_;
  std::deque<TextLine> ready_;
  LineSplitter splitter_;
  std::unique_ptr<GzipDecoder> gzip_;  ///< null: the text is not compressed
  std::int64_t lines_ = 0;
  bool begun_ = false;
  bool ended_ = false;
};

}  // namespace gloss
