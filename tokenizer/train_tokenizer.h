#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "common/text/format.h"
#include "tokenizer/tokenizer_config.h"

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

/// Default for the maximum number of training lines. SentencePiece holds them in memory, and more lines hardly change
/// the vocabulary.
inline constexpr std::int64_t kMaxTrainingLines = 2'000'000;

/// A text to train a tokenizer on, and its lines as far as they were collected.
struct TrainingText {
  std::filesystem::path file;
  TrainingSample sample;
};

/// Trains a SentencePiece model on the lines of the texts, with gloss's special ids, and returns its bytes. Uses up the
/// samples. If the texts have more than `max_lines` lines together, reads the files again, takes `max_lines` lines,
/// evenly spaced over all files, and logs this. Lines that are not valid UTF-8 (or have a NUL) or are longer than
/// SentencePiece's limit (4192 bytes) are left out, with a warning for each file and reason. Equal texts and settings
/// give equal bytes, which hold no path. If the text has fewer pieces than `config` sets, throws
/// UsageError naming the maximum, or takes the maximum with `config.joint` false. Throws UsageError if it has more
/// characters (naming the minimum), DataError if there is no text, and as LineReader.
std::string train_tokenizer(std::span<TrainingText> texts, const TokenizerConfig& config,
                            std::int64_t max_lines = kMaxTrainingLines);

/// Reads the files to collect their samples, then trains as above.
std::string train_tokenizer(std::span<const std::filesystem::path> files, const TokenizerConfig& config,
                            std::int64_t max_lines = kMaxTrainingLines);

}  // namespace gloss
