#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "common/text/noted_lines.h"

namespace gloss {

/// Lines of one text that a tokenizer is not trained on, by reason.
struct UnusableLines {
  NotedLines not_utf8, too_long;

  /// False where a line is unusable, which is noted, or blank. `is_text`: the line is valid UTF-8 without NUL.
  bool accept(std::string_view line, bool is_text, std::int64_t number);

  /// SentencePiece's default limit for a line, in bytes.
  static constexpr std::size_t kMaxLineBytes = 4192;
};

/// Lines of one text that a tokenizer can be trained on, collected while the text is read for another purpose.
/// Holds the lines of texts of up to `max_lines` lines; a longer text is only counted.
class TrainingSample {
 public:
  explicit TrainingSample(std::int64_t max_lines) : max_lines_(max_lines) {}

  /// Adds the next line of the text. `is_text` as of UnusableLines::accept.
  void add(std::string_view line, bool is_text);

  std::int64_t lines() const { return lines_; }  ///< of the text
  bool complete() const { return lines_ <= max_lines_; }
  const UnusableLines& unusable() const { return unusable_; }  ///< of the whole text

  /// Removes the first line that is left and returns it in `line`. False where none is left.
  bool take(std::string& line);

 private:
  std::int64_t max_lines_, lines_ = 0;
  UnusableLines unusable_;
  std::deque<std::string> blocks_;  ///< usable lines, each followed by LF
  std::size_t place_ = 0;           ///< in the first block
};

}  // namespace gloss
