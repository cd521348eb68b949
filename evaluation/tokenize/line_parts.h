#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "evaluation/metric.h"
#include "evaluation/score_report.h"

namespace gloss {

/// Lines sorted into parts of a text that are scored apart.
struct LineParts {
  std::vector<std::string> names;    ///< in the order in which they are reported
  std::vector<std::size_t> of_line;  ///< index into `names`

  std::vector<std::int64_t> line_counts() const;
};

/// Line n belongs to the part called `groups[n]`; sorted by name.
LineParts parts_by_name(std::span<const std::string> groups);

/// By the number of words, which white space sets apart: up to the first bound, above it up to the second, and so on,
/// above the last; "0-10", "11-20", "21-". `bounds` rise. Parts without lines are left out.
LineParts parts_by_length(std::span<const std::string> sources, std::span<const std::int64_t> bounds);

/// The metric's score of each part, from the statistics of all lines.
std::vector<MetricScore> scores_by_part(const Metric& metric, const SegmentStatistics& statistics,
                                        const LineParts& parts);

}  // namespace gloss
