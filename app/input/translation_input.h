#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "app/input/line_editor.h"
#include "app/input/line_source.h"
#include "common/files/descriptor.h"
#include "common/text/line_splitter.h"
#include "pipeline/progress_line.h"

namespace gloss {

/// The lines to translate, of a file, a pipe or a terminal. Lines that a person types can be edited where that is
/// possible, and control characters are left out of them.
class TranslationInput {
 public:
  /// Without a file it is stdin. Throws UsageError where there is no such file, and IoError.
  explicit TranslationInput(const std::optional<std::filesystem::path>& file);

  /// Whether a person types the lines.
  bool typed() const { return typed_; }
  /// As LineSource::next; a line editor returns one line.
  std::vector<TextLine> next(std::size_t max_lines);
  /// Bytes from here to the end; nothing where the input is no regular file.
  std::optional<double> size() const;

 private:
  int descriptor() const;

  Descriptor file_;  ///< of --input
  LineSource source_;
  bool typed_;
  std::unique_ptr<LineEditor> editor_;
};

/// Shows at the foot of a terminal how much of an input is translated.
class InputProgress {
 public:
  /// `size` in bytes; without it, and where results are printed on a terminal, nothing is shown.
  InputProgress(std::optional<double> size, bool results_on_stdout);
  ~InputProgress();
  InputProgress(const InputProgress&) = delete;
  InputProgress& operator=(const InputProgress&) = delete;

  /// Takes the lines that are translated next.
  void start(std::span<const TextLine> lines);
  /// Shows the progress. To be called before each batch of these lines, with its number of lines.
  void show_batch(std::int64_t lines);

 private:
  std::optional<WorkProgress> progress_;
  double done_ = 0, bytes_ = 0;         ///< of the lines before, and of these
  std::int64_t begun_ = 0, lines_ = 1;  ///< of these lines: in batches that have begun, and all
};

}  // namespace gloss
