#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evaluation/metric_set.h"
#include "evaluation/score_report.h"
#include "evaluation/scored_text.h"
#include "evaluation/statistics/resampling_seed.h"
#include "evaluation/tokenize/line_parts.h"

namespace gloss {

/// What is asked beside the scores.
struct ScoringOptions {
  std::int64_t resamples = 0;        ///< for confidence intervals; below 2: none
  std::optional<PairedTest> paired;  ///< of the first system with each other one
  std::int64_t trials = 1000;        ///< of the paired test; at least 1
  ResamplingSeed seed;
  std::optional<LineParts> groups, lengths;  ///< of all lines
  std::int64_t differences = 0;              ///< of the first two systems: so many lines at most
  int threads = 1;                           ///< at least 1; their number changes no figure

  /// Throws UsageError where one of them is out of its range or wants more systems, DataError where groups or lengths
  /// are of another number of lines.
  void validate(std::int64_t systems, std::int64_t lines) const;
};

/// Every metric of every system. Throws UsageError where a metric's settings are wrong and as validate() does,
/// DataError where a system has not as many lines as the references.
ScoreReport score_systems(std::span<const MetricKind> metrics, const MetricOptions& settings,
                          std::span<const SystemOutput> systems, const References& references,
                          const ScoringOptions& options);

struct LineScoringOptions {
  int threads = 1;       ///< at least 1; their number changes no figure
  bool details = false;  ///< also Metric::details() and the signatures of each line
};

/// Each line for itself, BLEU with effective order.
LineScores score_lines(MetricKind metric, const MetricOptions& settings, const SystemOutput& system,
                       const References& references, const LineScoringOptions& options = {});

}  // namespace gloss
