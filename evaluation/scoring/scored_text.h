#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "common/system/descriptor.h"
#include "evaluation/metric.h"

namespace gloss {

// Reads texts like sacreBLEU's command: LF ends a line, and white space at its end (including CR) is dropped. Input
// that is unreadable or not text is refused, even if sacreBLEU would score it.

/// Reads the lines of a file. Throws as LineReader does, and DataError if there are no lines or one of them is not
/// UTF-8, contains a NUL or is too long. A byte order mark at the very beginning is dropped.
std::vector<std::string> read_scored_lines(const std::filesystem::path& path);

/// Number of tab-separated references in each line of a file.
struct ReferenceColumns {
  std::int64_t count = 1;
  bool any_number = false;  ///< ignore `count`: one or more, and lines may differ
};

/// Reads references: one file per stream, or one file with several columns. With a fixed number of columns, the last
/// one keeps all further tabs; with any number, empty columns are skipped. Throws as read_scored_lines, UsageError for
/// several files with several columns, DataError if files differ in length or a line has a wrong number of references.
References read_references(std::span<const std::filesystem::path> files, const ReferenceColumns& columns = {});

/// The translations of one system.
struct SystemOutput {
  std::string name;
  std::vector<std::string> lines;
};

/// Reads the tab-separated systems of an open text from its current position: "System 1" and so on. `name` is its name
/// in messages; the first line determines the number of systems. As with sacreBLEU's stdin, a CR alone also ends a
/// line, and white space at the end of a column is dropped except in the first line. Throws as read_scored_lines, and
/// DataError if a line has another number of systems.
std::vector<SystemOutput> read_tabbed_systems(Descriptor text, const std::string& name);

}  // namespace gloss
