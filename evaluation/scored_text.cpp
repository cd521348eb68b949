#include "evaluation/scored_text.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "common/line_reader.h"
#include "common/log.h"
#include "common/utf8.h"
#include "evaluation/white_space.h"

namespace gloss {
namespace {

std::string place(const std::filesystem::path& path, std::int64_t line) {
  return printable(path.string()) + ": line " + std::to_string(line);
}

void expect_text(const std::filesystem::path& path, const LineReader& reader, std::string_view line) {
  const auto where = place(path, reader.line_number());
  if (reader.overlong())
    throw DataError(where + " is longer than " + std::to_string(LineReader::kMaxLineBytes) +
                    " bytes; it cannot be scored whole");
  if (const auto invalid = first_invalid_utf8(line))
    throw DataError(where + ": wanted UTF-8, got a byte that is none at " + std::to_string(*invalid + 1) +
                    "; convert the file");
  if (line.find('\0') != line.npos) throw DataError(where + ": wanted text, got a NUL; remove it");
}

/// The parts between tabs; the last of `most` keeps what tabs it has.
std::vector<std::string> split_at_tabs(std::string_view line, std::size_t most) {
  std::vector<std::string> parts;
  for (auto tab = line.find('\t'); tab != line.npos && parts.size() + 1 < most; tab = line.find('\t')) {
    parts.emplace_back(line.substr(0, tab));
    line.remove_prefix(tab + 1);
  }
  parts.emplace_back(line);
  return parts;
}

std::vector<std::vector<std::string>> split_lines(const std::vector<std::string>& lines, std::size_t most) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(lines.size());
  for (const auto& line : lines) rows.push_back(split_at_tabs(line, most));
  return rows;
}

References references_in_columns(const std::filesystem::path& path, std::size_t columns) {
  auto rows = split_lines(read_scored_lines(path), columns);
  References references{std::vector(columns, std::vector<std::optional<std::string>>())};
  for (std::size_t line = 0; line < rows.size(); ++line) {
    if (rows[line].size() != columns)
      throw DataError(place(path, static_cast<std::int64_t>(line) + 1) + ": wanted " + std::to_string(columns) +
                      " references with tabs between them, got " + std::to_string(rows[line].size()) +
                      "; mend the line, or give --num-refs var");
    for (std::size_t column = 0; column < columns; ++column)
      references.streams[column].emplace_back(std::move(rows[line][column]));
  }
  return references;
}

References references_of_any_number(const std::filesystem::path& path) {
  const auto rows = split_lines(read_scored_lines(path), std::numeric_limits<std::size_t>::max());
  const auto widest = std::ranges::max(rows, {}, [](const auto& row) { return row.size(); }).size();
  References references{std::vector(widest, std::vector<std::optional<std::string>>(rows.size(), std::nullopt))};
  for (std::size_t line = 0; line < rows.size(); ++line) {
    std::size_t stream = 0;
    for (const auto& text : rows[line])
      if (!text.empty()) references.streams[stream++][line] = text;
    if (stream == 0)
      throw DataError(place(path, static_cast<std::int64_t>(line) + 1) + ": wanted a reference, got an empty line");
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
  if (lines.empty()) throw DataError(printable(path.string()) + ": wanted lines to score, got an empty file");
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
    const auto lines = read_scored_lines(file);
    references.streams.emplace_back(lines.begin(), lines.end());
    expect_aligned(file.string(), std::ssize(lines), files.front().string(), references.lines());
  }
  return references;
}

std::vector<SystemOutput> read_tabbed_systems(const std::filesystem::path& path) {
  auto rows = split_lines(read_scored_lines(path), std::numeric_limits<std::size_t>::max());
  std::vector<SystemOutput> systems(rows.front().size());
  for (std::size_t i = 0; i < systems.size(); ++i) systems[i].name = "System " + std::to_string(i + 1);
  for (std::size_t line = 0; line < rows.size(); ++line) {
    if (rows[line].size() != systems.size())
      throw DataError(place(path, static_cast<std::int64_t>(line) + 1) + ": wanted " + std::to_string(systems.size()) +
                      " systems with tabs between them as on line 1, got " + std::to_string(rows[line].size()));
    for (std::size_t i = 0; i < systems.size(); ++i) systems[i].lines.emplace_back(strip_end(rows[line][i]));
  }
  return systems;
}

void expect_aligned(const std::string& name, std::int64_t lines, const std::string& reference_name,
                    std::int64_t references) {
  if (lines != references)
    throw DataError(printable(name) + " has " + std::to_string(lines) + " lines, " + printable(reference_name) + " " +
                    std::to_string(references) + "; line n of one must belong to line n of the other");
}

}  // namespace gloss
