#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "evaluation/metric.h"
#include "evaluation/scoring/score_report.h"

namespace gloss {

/// Assignment of lines to groups that are scored separately.
struct LineParts {
  std::vector<std::string> names;    ///< in the order of the report
  std::vector<std::size_t> of_line;  ///< index into `names`

  std::vector<std::int64_t> line_counts() const;
};

/// Groups lines by name: line n belongs to `groups[n]`. The groups are sorted by name.
LineParts parts_by_name(std::span<const std::string> groups);

/// Groups lines by their number of words, separated by white space: "0-10", "11-20", "21-". The first group reaches up
/// to the first bound, the next ones up to the following bounds, and the last one holds longer lines. `bounds` ascend.
/// Empty groups are dropped.
LineParts parts_by_length(std::span<const std::string> sources, std::span<const std::int64_t> bounds);

/// Returns the metric's score of each group, from the statistics of all lines.
std::vector<MetricScore> scores_by_part(const Metric& metric, const SegmentStatistics& statistics,
                                        const LineParts& parts);

/// Returns the lines whose scores differ most between two systems, at most `max_lines`, the largest difference first
/// and ties in line order. Lines with equal scores are skipped.
std::vector<LineDifference> largest_differences(const Metric& metric, const SegmentStatistics& first,
                                                const SegmentStatistics& second, std::int64_t max_lines);

}  // namespace gloss
