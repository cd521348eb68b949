#pragma once

#include <cstdint>
#include <vector>

#include "evaluation/metric.h"
#include "evaluation/scoring/score_report.h"

namespace gloss {

/// Returns the lines whose scores differ most between two systems, at most `max_lines`, the largest difference first
/// and ties in line order. Lines with equal scores are skipped.
std::vector<LineDifference> largest_differences(const Metric& metric, const SegmentStatistics& first,
                                                const SegmentStatistics& second, std::int64_t max_lines);

}  // namespace gloss
