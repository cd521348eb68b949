#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluation/metric.h"
#include "evaluation/scoring/metric_set.h"
#include "evaluation/scoring/score_report.h"
#include "evaluation/scoring/scored_text.h"
#include "evaluation/statistics/resampling_seed.h"

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

/// Optional parts of an evaluation.
struct ScoringOptions {
  std::int64_t resamples = 0;        ///< for confidence intervals; below 2: none
  std::optional<PairedTest> paired;  ///< test of the first system against each other one
  std::int64_t trials = 1000;        ///< of the paired test; at least 1
  ResamplingSeed seed;
  std::optional<LineParts> groups, lengths;  ///< groups of all lines
  std::int64_t differences = 0;              ///< maximum number of lines, for the first two systems
  int threads = 1;                           ///< at least 1; results do not depend on it

  /// Throws UsageError if a value is out of range or needs more systems, DataError if groups or lengths have another
  /// number of lines.
  void validate(std::int64_t systems, std::int64_t lines) const;
};

/// Scores every system by every metric. Throws UsageError for wrong settings of a metric and as validate() does,
/// DataError if the lines of a system and of the references differ in number.
ScoreReport score_systems(std::span<const MetricKind> metrics, const MetricOptions& settings,
                          std::span<const SystemOutput> systems, const References& references,
                          const ScoringOptions& options);

struct LineScoringOptions {
  int threads = 1;       ///< at least 1; results do not depend on it
  bool details = false;  ///< also MetricScore::details and the signatures of each line
};

/// Scores each line by itself, BLEU with effective order.
LineScores score_lines(MetricKind kind, const MetricOptions& settings, const SystemOutput& system,
                       const References& references, const LineScoringOptions& options = {});

}  // namespace gloss
