#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evaluation/metric.h"
#include "evaluation/statistics/resampling.h"

namespace gloss {

/// A row of the table of `sacrebleu --paired-bs` or `--paired-ar`, with equal values for the same seed.
struct PairedResult {
  double score = 0;
  std::optional<double> p_value;  ///< none for the baseline
  std::optional<ConfidenceInterval> interval;
};

// The functions return a row per system; the first system is the baseline for the tests. They throw UsageError without
// a sample, DataError if the systems' numbers of lines differ.

/// Tests systems by paired bootstrap resampling (Koehn 2004). The p-value is the share of resamples whose difference
/// exceeds the mean difference by more than the actual one.
std::vector<PairedResult> paired_bootstrap(const Metric& metric, std::span<const SegmentStatistics> systems,
                                           const ResamplingOptions& options);

/// Tests systems by paired approximate randomization (Riezler and Maxwell 2005). In a trial, each line is swapped
/// between the systems at random; the p-value is the share of trials whose difference exceeds the actual one. Runs
/// `options.samples` trials; if `interval_samples` is positive, each system's interval uses as many resamples.
///
/// Sums are doubles, which are exact for integer statistics. TER's lengths are not integers if a line has several
/// references: the last bits of sacreBLEU's sums then depend on its processor, and p-values may differ by the trials
/// that are equal except for these bits.
std::vector<PairedResult> paired_randomization(const Metric& metric, std::span<const SegmentStatistics> systems,
                                               const ResamplingOptions& options, std::int64_t interval_samples = 0);

}  // namespace gloss
