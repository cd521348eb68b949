#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gloss {

/// One line of a text, without its end.
struct TextLine {
  std::string text;   ///< bytes as they came, NULs and broken UTF-8 included
  bool cut = false;   ///< longer than LineSplitter::kMaxLineBytes; `text` is its beginning, cut between characters
  bool crlf = false;  ///< its end was CRLF; of LineEnds::kAnyReturn nobody says
};

/// What ends a line: LF or CRLF, or a CR alone, too.
enum class LineEnds { kLineFeed, kAnyReturn };

/// Cuts bytes that come in parts into lines: LF or CRLF ends a line, a byte order mark at the very beginning is
/// dropped, a last line without an end counts; a CR elsewhere, unless it is asked for, and U+2028 are ordinary
/// characters. Holds no more than one line, of which no more than its limit.
class LineSplitter {
 public:
  static constexpr std::size_t kMaxLineBytes = 1 << 16;

  explicit LineSplitter(LineEnds ends = LineEnds::kLineFeed) : ends_(ends) {}

  /// Takes bytes from the front, up to the end of a line if there is one: then true, and the line in `line`.
  bool next(std::string_view& bytes, TextLine& line);
  /// To be called once, at the end of the text: false where it ended with a line's end.
  bool finish(TextLine& line);

 private:
  void append(std::string_view bytes);
  void end_line(bool with_end, TextLine& line);

  LineEnds ends_;
  bool after_return_ = false;  ///< an LF that comes next belongs to the CR which ended a line
  std::string text_;           ///< of the line whose end has not come yet
  bool dropped_ = false;       ///< not all of it
  bool at_begin_ = true;
};

}  // namespace gloss
