#include "pipeline/data_files.h"

#include <string>

#include "common/error.h"
#include "common/line_reader.h"
#include "common/log.h"
#include "training/stop.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

std::size_t count_lines(LineReader& reader) {
  for (std::string line; reader.next(line);) stop_where_requested();
  return static_cast<std::size_t>(reader.line_number());
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
  LineReader source_reader(source), target_reader(target);
  const auto lines = count_lines(source_reader);
  expect_equal_counts(source, lines, target, count_lines(target_reader));
  if (lines == 0)
    throw DataError(printable(source.string()) + " and " + printable(target.string()) +
                    ": wanted sentence pairs, got empty files");
}

void expect_equal_counts(const fs::path& first, std::size_t first_lines, const fs::path& second,
                         std::size_t second_lines) {
  if (first_lines != second_lines)
    throw DataError(printable(first.string()) + " has " + std::to_string(first_lines) + " lines, " +
                    printable(second.string()) + " has " + std::to_string(second_lines) +
                    "; lines of equal number belong together");
}

}  // namespace gloss
