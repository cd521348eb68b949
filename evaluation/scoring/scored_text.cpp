#include "evaluation/scoring/scored_text.h"

#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "common/files/line_reader.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "common/text/split.h"
#include "common/text/utf8.h"
#include "evaluation/tokenize/characters.h"

namespace gloss {
namespace {

std::string place(const std::filesystem::path& path, std::int64_t line) {
  return printable(path.string()) + ": line " + std::to_string(line);
}

void expect_text(const std::filesystem::path& path, const LineReader& reader, std::string_view line) {
  const auto where = [&] { return place(path, reader.line_number()); };
  if (reader.overlong())
    throw DataError(where() + " is longer than " + std::to_string(LineReader::kMaxLineBytes) +
                    " bytes; it cannot be scored whole");
  if (const auto invalid = first_invalid_utf8(line))
    throw DataError(where() + ": wanted UTF-8, got an invalid byte at position " + std::to_string(*invalid + 1) +
                    "; convert the file");
  if (line.find('\0') != line.npos) throw DataError(where() + ": wanted text, got a NUL; remove it");
}

void expect_lines(const std::filesystem::path& path, std::int64_t lines) {
  if (lines == 0) throw DataError(printable(path.string()) + ": wanted lines to score, got an empty file");
}

References references_in_columns(const std::filesystem::path& path, std::size_t columns) {
  References references;
  for (const auto& line : read_scored_lines(path)) {
    const auto parts = split_text(line, '\t', columns);
    const auto& row = references.of_line.emplace_back(parts.begin(), parts.end());
    if (row.size() != columns)
      throw DataError(place(path, references.lines()) + ": wanted " + std::to_string(columns) +
                      " references with tabs between them, got " + std::to_string(row.size()) +
                      "; mend the line, or give --num-refs var");
  }
  return references;
}

References references_of_any_number(const std::filesystem::path& path) {
  References references;
  for (const auto& line : read_scored_lines(path)) {
    auto parts = split_text(line, '\t');
    std::erase(parts, "");  // before a string is allocated for each
    references.of_line.emplace_back(parts.begin(), parts.end());
    if (parts.empty()) throw DataError(place(path, references.lines()) + ": wanted a reference, got an empty line");
  }
  return references;
}

}  // namespace

std::vector<std::string> read_scored_lines(const std::filesystem::path& path) {
  LineReader reader(path, Passes::kOne);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) {
    expect_text(path, reader, line);
    lines.emplace_back(strip_end(line));
  }
  expect_lines(path, std::ssize(lines));
  return lines;
}

References read_references(std::span<const std::filesystem::path> files, const ReferenceColumns& columns) {
  const bool tabbed = columns.any_number || columns.count > 1;
  if (tabbed && files.size() != 1)
    throw UsageError("wanted one reference file where it holds several references a line, got " +
                     std::to_string(files.size()));
  if (columns.any_number) return references_of_any_number(files.front());
  if (tabbed) return references_in_columns(files.front(), static_cast<std::size_t>(columns.count));
  References references;
  for (const auto& file : files) {
    auto lines = read_scored_lines(file);
    if (references.of_line.empty()) references.of_line.resize(lines.size());
    expect_equal_lines(file.string(), std::ssize(lines), files.front().string(), references.lines());
    for (std::size_t line = 0; line < lines.size(); ++line) references.of_line[line].push_back(std::move(lines[line]));
  }
  return references;
}

std::vector<SystemOutput> read_tabbed_systems(Descriptor text, const std::string& name) {
  LineReader reader(std::move(text), name, LineEnds::kAnyReturn);
  std::vector<SystemOutput> systems;
  for (std::string line; reader.next(line);) {
    expect_text(name, reader, line);
    const auto columns = split_text(strip_end(line), '\t');
    const bool first = reader.line_number() == 1;
    if (first)
      for (std::size_t i = 1; i <= columns.size(); ++i) systems.push_back({"System " + std::to_string(i), {}});
    if (columns.size() != systems.size())
      throw DataError(place(name, reader.line_number()) + ": wanted " + std::to_string(systems.size()) +
                      " systems with tabs between them as on line 1, got " + std::to_string(columns.size()));
    for (std::size_t i = 0; i < systems.size(); ++i)
      systems[i].lines.emplace_back(first ? columns[i] : strip_end(columns[i]));
  }
  expect_lines(name, reader.line_number());
  return systems;
}

}  // namespace gloss
