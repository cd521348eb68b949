#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/input/line_editor.h"
#include "app/input/line_source.h"
#include "common/files/line_reader.h"
#include "common/files/text_pairs.h"
#include "common/log/progress_line.h"
#include "common/system/descriptor.h"

namespace gloss {

/// The lines to translate, from a file, a pipe or a terminal. Lines that a person types can be edited if the terminal
/// allows it.
class TranslationInput {
 public:
  /// Opens the file; without one, uses stdin. Throws UsageError if the file does not exist, and IoError.
  explicit TranslationInput(const std::optional<std::filesystem::path>& file);

  /// Returns whether a person types the lines.
  bool typed() const { return typed_; }
  /// Returns the next lines as LineSource::next does; a line editor returns one line.
  std::vector<TextLine> next(std::size_t max_lines);
  /// Returns the number of bytes from here to the end; empty if the input is no regular
  /// file, is compressed, or is a column of a table.
  std::optional<double> size() const;

 private:
  int descriptor() const;

  Descriptor file_;  ///< of --input
  bool has_column_;
  LineSource source_;
  bool typed_;
  std::unique_ptr<LineEditor> editor_;
};

/// Shows the translated share of an input in the last line of a terminal.
class InputProgress {
 public:
  /// `size` is in bytes. No progress is shown without it or if results are printed on a terminal.
  InputProgress(std::optional<double> size, bool results_on_stdout);
  ~InputProgress();
  InputProgress(const InputProgress&) = delete;
  InputProgress& operator=(const InputProgress&) = delete;

  /// Takes the lines that are translated next.
  void start(std::span<const TextLine> lines);
  /// Shows the progress. Call it before each batch of these lines, with the number of lines in the batch.
  void show_batch(std::int64_t lines);

 private:
  std::optional<WorkProgress> progress_;
  double done_ = 0, bytes_ = 0;         ///< bytes of the earlier lines, and of the current ones
  std::int64_t begun_ = 0, lines_ = 1;  ///< current lines in batches that have begun, and all current lines
};

/// The file of an option that has one line, possibly empty, for each line of the input. It is read as the input is.
class LinesBesideInput {
 public:
  /// Opens the file, if there is one. Throws UsageError if it does not exist, and as TextLines.
  LinesBesideInput(const std::string& option, const std::optional<std::filesystem::path>& file);

  /// Returns the next `count` lines; none without a file. Throws DataError if the file is shorter, and as TextLines.
  std::vector<std::string> next(std::size_t count);
  /// Throws DataError unless the file ends here, after `lines` lines, the number of lines of the input.
  void expect_end(std::int64_t lines);

 private:
  std::string option_;
  std::optional<TextLines> file_;
};

}  // namespace gloss
