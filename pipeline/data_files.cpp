#include "pipeline/data_files.h"

#include <string>

#include "common/error.h"
#include "common/files/line_reader.h"
#include "common/log.h"
#include "common/system/stop.h"
#include "common/text/noted_lines.h"
#include "common/text/utf8.h"
#include "data/encode_corpus.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

// Throws DataError where more than a hundredth of the lines is no text: another encoding, or no text at all.
std::int64_t count_text_lines(const fs::path& path) {
  LineReader reader(path);
  NotedLines other;
  for (std::string line; reader.next(line);) {
    stop_where_requested();
    if (!is_text(line)) other.note(reader.line_number());
  }
  if (other.count * kLinesToOneInvalid > reader.line_number())
    throw DataError(printable(path.string()) + ": wanted UTF-8, got " + std::to_string(other.count) + " of " +
                    std::to_string(reader.line_number()) + " lines with other bytes (" + other.text() +
                    "); convert the text to UTF-8");
  return reader.line_number();
}

}  // namespace

void expect_data_files(const DataConfig& data) {
  require(!data.train_source.empty(), "data.train_source", "the file of source sentences to train on",
          data.train_source);
  require(!data.train_target.empty(), "data.train_target", "the file of their translations", data.train_target);
  for (const auto& path :
       {data.train_source, data.train_target, data.valid_source, data.valid_target, data.test_source, data.test_target})
    if (!path.empty() && !fs::exists(path))
      throw DataError(printable(path) + ": the run file names this file, but it is not there");
  if (fs::equivalent(data.train_source, data.train_target))
    throw UsageError("data.train_target: is the same file as data.train_source");
}

void expect_aligned(const fs::path& source, const fs::path& target) {
  const auto lines = count_text_lines(source);
  expect_equal_counts(source, lines, target, count_text_lines(target));
  if (lines == 0)
    throw DataError(printable(source.string()) + " and " + printable(target.string()) +
                    ": wanted sentence pairs, got empty files");
}

std::optional<HoldOut> hold_out(const DataConfig& data) {
  if (!data.hold_out) return std::nullopt;
  auto held_out = HoldOut::choose(data.train_source, data.train_target, stop_where_requested);
  const auto all = std::to_string(held_out.pairs_of_text());
  if (held_out.sources().empty())
    log_warning(
        "data.hold_out: none of the " + all +
        " pairs can be held out to validate on; the text is too small, or every pair shares a side with another");
  else
    log_info(std::to_string(held_out.sources().size()) + " of " + all +
             " pairs are held out of training to validate on; data.valid_source and data.valid_target name others");
  return held_out;
}

}  // namespace gloss
