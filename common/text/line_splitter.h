#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gloss {

/// One line of a text, without its line end.
struct TextLine {
  std::string text;   ///< unchanged bytes, including NULs and invalid UTF-8
  bool cut = false;   ///< longer than LineSplitter::kMaxLineBytes; `text` is its beginning, cut between characters
  bool crlf = false;  ///< the line ended in CRLF; not set with LineEnds::kAnyReturn
};

/// Line ends: LF and CRLF, or also a CR alone.
enum class LineEnds { kLineFeed, kAnyReturn };

/// Splits bytes that arrive in parts into lines. LF or CRLF ends a line; a byte order mark at the very beginning is
/// dropped; a last line without an end counts. A CR elsewhere (without kAnyReturn) and U+2028 are ordinary characters.
/// Stores at most one line, up to its limit.
class LineSplitter {
 public:
  static constexpr std::size_t kMaxLineBytes = 1 << 16;

  explicit LineSplitter(LineEnds ends = LineEnds::kLineFeed) : ends_(ends) {}

  /// Consumes bytes up to and including the next line end. Returns true and sets `line` if there was one.
  bool next(std::string_view& bytes, TextLine& line);
  /// Sets `line` to the last line and returns true if it has no line end. Call it once, at the end of the text.
  bool finish(TextLine& line);

 private:
  void append(std::string_view bytes);
  void end_line(bool with_end, TextLine& line);

  LineEnds ends_;
  bool after_return_ = false;  ///< the next LF belongs to the CR that ended a line
  std::string text_;           ///< the line whose end has not arrived yet
  bool dropped_ = false;       ///< part of the line was dropped
  bool at_begin_ = true;
};

}  // namespace gloss
