#include "app/input/translation_input.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/options/command_options.h"
#include "common/error.h"
#include "common/log/log.h"
#include "common/text/format.h"
#include "common/text/printable.h"

namespace gloss {
namespace {

Descriptor open_input(const std::optional<std::filesystem::path>& path) {
  if (!path) return {};
  expect_input_file("--input", *path);
  const auto name = TextPath::of(*path).file;
  Descriptor file(retry_interrupted([&] { return ::open(name.c_str(), O_RDONLY | O_CLOEXEC); }));
  if (!file.is_open()) throw_io_error(name, "open");
  return file;
}

}  // namespace

TranslationInput::TranslationInput(const std::optional<std::filesystem::path>& file)
    : file_(open_input(file)),
      has_column_(file && TextPath::of(*file).column > 0),
      source_(descriptor(), file ? TextPath::of(*file) : TextPath{"stdin"}),
      typed_(::isatty(descriptor()) == 1),
      editor_(file ? nullptr : make_line_editor()) {}

std::vector<TextLine> TranslationInput::next(std::size_t max_lines) {
  if (editor_) {
    const auto line = editor_->read_line();
    return line ? std::vector{TextLine{*line}} : std::vector<TextLine>();
  }
  return source_.next(max_lines);
}

std::optional<double> TranslationInput::size() const {
  struct stat status {};
  if (::fstat(descriptor(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  std::array<char, 2> head{};
  const auto read = std::max<ssize_t>(::pread(descriptor(), head.data(), head.size(), 0), 0);
  if (has_column_ || GzipDecoder::recognizes({head.data(), static_cast<std::size_t>(read)})) return std::nullopt;
  return static_cast<double>(status.st_size - std::max<off_t>(::lseek(descriptor(), 0, SEEK_CUR), 0));
}

int TranslationInput::descriptor() const { return file_.is_open() ? file_.get() : STDIN_FILENO; }

InputProgress::InputProgress(std::optional<double> size, bool results_on_stdout) {
  if (size && !(results_on_stdout && ::isatty(STDOUT_FILENO) == 1)) progress_.emplace(*size, "translating");
}

InputProgress::~InputProgress() { log_progress(""); }

void InputProgress::start(std::span<const TextLine> lines) {
  done_ += bytes_;
  bytes_ = 0;
  for (const auto& line : lines) bytes_ += static_cast<double>(line.text.size() + (line.crlf ? 2 : 1));
  begun_ = 0;
  lines_ = std::ssize(lines);
}

void InputProgress::show_batch(std::int64_t lines) {
  const auto share = static_cast<double>(begun_) / static_cast<double>(lines_);
  begun_ += lines;
  if (progress_) progress_->show(done_ + bytes_ * std::min(share, 1.0));
}

LinesBesideInput::LinesBesideInput(const std::string& option, const std::optional<std::filesystem::path>& file)
    : option_(option) {
  if (!file) return;
  expect_input_file(option, *file);
  file_.emplace(*file, Passes::kOne);
}

std::vector<std::string> LinesBesideInput::next(std::size_t count) {
  std::vector<std::string> lines;
  if (!file_) return lines;
  const auto wanted = static_cast<std::size_t>(file_->count()) + count;
  for (std::string line; lines.size() < count && file_->next(line);) lines.push_back(std::move(line));
  if (lines.size() == count) return lines;
  throw DataError(option_ + ' ' + printable(file_->path().string()) +
                  ": wanted a line for each line of the input, got " + std::to_string(file_->count()) +
                  " for at least " + std::to_string(wanted) + "; a line may be empty");
}

void LinesBesideInput::expect_end(std::int64_t lines) {
  if (!file_) return;
  for (std::string line; file_->next(line);) continue;
  file_->warn_of_broken();
  if (file_->count() == lines) return;
  throw DataError(option_ + ' ' + printable(file_->path().string()) +
                  ": wanted a line for each line of the input, which has " + counted(lines, "line") + ", got " +
                  std::to_string(file_->count()) + "; the translations may belong to other lines");
}

}  // namespace gloss
