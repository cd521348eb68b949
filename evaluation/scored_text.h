#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "common/files/descriptor.h"
#include "evaluation/metric.h"

namespace gloss {

// Files of lines as sacreBLEU's command reads them: LF ends a line, white space at its end (a CR too) is dropped. What
// it cannot read, or would score though it is no text, is refused.

/// Throws as LineReader does, and DataError where there are no lines or one of them is not UTF-8, holds a NUL or is too
/// long to be kept whole. A byte order mark at the very beginning is dropped.
std::vector<std::string> read_scored_lines(const std::filesystem::path& path);

/// How many references a line of a file holds, with tabs between them.
struct ReferenceColumns {
  std::int64_t count = 1;
  bool any_number = false;  ///< `count` does not matter: one or more, lines may differ
};

/// One file a stream, or one file with several columns. With a fixed number of columns the last one takes all further
/// tabs; with any number empty columns count as absent. Throws as read_scored_lines, UsageError where several files
/// come with several columns, DataError where files differ in length or a line has not as many references as wanted, or
/// none.
References read_references(std::span<const std::filesystem::path> files, const ReferenceColumns& columns = {});

/// What one system says.
struct SystemOutput {
  std::string name;
  std::vector<std::string> lines;
};

/// The systems of an open text, called `name` in messages, with tabs between them: "System 1" and so on; the first line
/// says how many. It is read from where it stands. As sacreBLEU reads its stdin: a CR alone ends a line, too, and white
/// space at the end of a column is dropped but in the first line. Throws as read_scored_lines, and DataError where a
/// line has another number of systems.
std::vector<SystemOutput> read_tabbed_systems(Descriptor text, const std::string& name);

/// Throws DataError, which names both, unless `name` has as many lines as the references (`reference_name`).
void expect_aligned(const std::string& name, std::int64_t lines, const std::string& reference_name,
                    std::int64_t references);

}  // namespace gloss
