#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace gloss {

/// One line of the input, without its end.
struct InputLine {
  std::string text;  ///< bytes as they came, NULs and broken UTF-8 included
  bool cut = false;  ///< longer than LineSource::kMaxLineBytes; `text` is its beginning, cut between characters
};

/// Lines of a descriptor that may be a pipe or a terminal: waits only where there is nothing to do. LF or CRLF ends a
/// line, a byte order mark at the very beginning is dropped, a last line without an end counts. Holds no more than one
/// read, one line and what `next` returns.
class LineSource {
 public:
  static constexpr std::size_t kMaxLineBytes = 1 << 16;

  /// `name` stands for the descriptor in messages.
  LineSource(int descriptor, std::string name);

  /// Waits until there is a line, then takes what can be read without waiting: 1 to `most` lines, or none at the end of
  /// the input or where a stop was requested (common/signals.h). Throws IoError.
  std::vector<InputLine> next(std::size_t most);

 private:
  bool wait_for_input() const;
  void read_some();
  void append(std::string_view bytes);
  void end_line();

  int descriptor_;
  std::string name_;
  std::deque<InputLine> ready_;
  InputLine current_;  ///< the line whose end has not come yet
  bool at_begin_ = true;
  bool ended_ = false;
};

}  // namespace gloss
