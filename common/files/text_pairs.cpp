#include "common/files/text_pairs.h"

#include <iterator>
#include <utility>

#include "common/error.h"
#include "common/log/log.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "common/text/utf8.h"

namespace gloss {
namespace {

std::vector<std::string> next_lines(TextLines& text, std::size_t max_lines) {
  std::vector<std::string> lines;
  for (std::string line; lines.size() < max_lines && text.next(line);) lines.push_back(std::move(line));
  return lines;
}

std::int64_t count_all(TextLines& text) {
  for (std::string line; text.next(line);) continue;
  return text.count();
}

}  // namespace

bool TextLines::next(std::string& line) {
  if (!reader_.next(line)) return false;
  if (reader_.overlong())
    throw DataError(printable(path_.string()) + ": line " + std::to_string(count()) + " is longer than " +
                    std::to_string(LineReader::kMaxLineBytes) + " bytes, more than is read of a line; shorten it");
  if (!is_text(line)) broken_.note(count());
  line = repair_utf8(line);
  return true;
}

void TextLines::warn_of_broken() const {
  if (broken_.count > 0)
    log_warning(printable(path_.string()) + ": " + counted(broken_.count, "line") +
                " not valid UTF-8; invalid bytes are read as U+FFFD (" + broken_.text() + ")");
}

std::vector<std::string> read_lines(const std::filesystem::path& path, Passes passes) {
  TextLines text(path, passes);
  std::vector<std::string> lines;
  for (std::string line; text.next(line);) lines.push_back(std::move(line));
  text.warn_of_broken();
  return lines;
}

LinePairs read_line_pairs(const std::filesystem::path& source, const std::filesystem::path& reference) {
  LinePairs pairs{read_lines(source), read_lines(reference)};
  expect_equal_lines(source.string(), std::ssize(pairs.sources), reference.string(), std::ssize(pairs.references));
  return pairs;
}

LinePairs TextPairs::next(std::size_t max_pairs) {
  LinePairs pairs{next_lines(source_, max_pairs), next_lines(reference_, max_pairs)};
  if (pairs.sources.size() != pairs.references.size())
    expect_equal_lines(source_.path().string(), count_all(source_), reference_.path().string(), count_all(reference_));
  if (pairs.sources.empty()) {
    source_.warn_of_broken();
    reference_.warn_of_broken();
  }
  return pairs;
}

}  // namespace gloss
