#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "common/text/line_splitter.h"

namespace gloss {

/// Lines of a descriptor, which may be a pipe or a terminal. Waits only if no line is ready. Lines are cut as by
/// LineSplitter. Memory: one read, one line and the lines that `next` returns.
class LineSource {
 public:
  /// `name` is the name of the descriptor in messages.
  LineSource(int descriptor, std::string name);

  /// Waits until there is a line, then returns the lines that can be read without waiting, 1 to `max_lines`. Returns no
  /// lines at the end of the input or if a stop was requested (common/system/signals.h). Throws IoError.
  std::vector<TextLine> next(std::size_t max_lines);

 private:
  bool wait_for_input() const;
  void read_some();

  int descriptor_;
  std::string name_;
  std::deque<TextLine> ready_;
  LineSplitter splitter_;
  bool ended_ = false;
};

}  // namespace gloss
