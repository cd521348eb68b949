#pragma once

#include <cstdint>
#include <vector>

#include "evaluation/metric.h"
#include "evaluation/score_report.h"

namespace gloss {

/// The lines whose own scores differ most between two systems, at most `most` of them, the largest difference first and
/// of equal ones the earlier line; lines with equal scores are left out.
std::vector<LineDifference> largest_differences(const Metric& metric, const SegmentStatistics& first,
                                                const SegmentStatistics& second, std::int64_t most);

}  // namespace gloss
