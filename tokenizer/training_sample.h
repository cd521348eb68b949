#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "common/text/format.h"

namespace gloss {

/// The lines of one text that tokenizer training leaves out, by reason.
struct UnusableLines {
  NotedLines not_utf8, too_long;

  /// Returns whether a line is usable. Records an unusable line; a blank line is only skipped. `is_text`: whether the
  /// line is valid UTF-8 without NUL.
  bool accept(std::string_view line, bool is_text, std::int64_t number);

  /// SentencePiece's default limit for a line, in bytes.
  static constexpr std::size_t kMaxLineBytes = 4192;
};

/// The lines of one text for training a tokenizer, collected while the text is read for another purpose. Stores the
/// lines of texts of up to `max_lines` lines; a longer text is only counted.
class TrainingSample {
 public:
  explicit TrainingSample(std::int64_t max_lines) : max_lines_(max_lines) {}

  /// Adds the next line of the text. `is_text` is that of UnusableLines::accept.
  void add(std::string_view line, bool is_text);

  std::int64_t lines() const { return lines_; }  ///< of the text
  bool complete() const { return lines_ <= max_lines_; }
  const UnusableLines& unusable() const { return unusable_; }  ///< of the whole text

  /// Removes the first stored line and returns it in `line`. Returns false if no line is left.
  bool take(std::string& line);

 private:
  std::int64_t max_lines_, lines_ = 0;
  UnusableLines unusable_;
  std::deque<std::string> blocks_;  ///< usable lines, each followed by LF
  std::size_t place_ = 0;           ///< in the first block
};

}  // namespace gloss
