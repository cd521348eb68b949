#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evaluation/metric.h"
#include "evaluation/statistics/resampling.h"

namespace gloss {

/// A row of the table of `sacrebleu --paired-bs` or `--paired-ar`, with its figures for the same seed.
struct PairedResult {
  double score = 0;
  std::optional<double> p_value;  ///< none for the baseline
  std::optional<ConfidenceInterval> interval;
};

// Each system's row; the first system is the baseline that the others are tested against. Throw UsageError unless there
// is a sample, DataError where the systems' counts of lines differ.

/// Paired bootstrap resampling (Koehn 2004): the share of resamples in which the difference of the two systems is by
/// more than the real one above the mean difference.
std::vector<PairedResult> paired_bootstrap(const Metric& metric, std::span<const SegmentStatistics> systems,
                                           const ResamplingOptions& options);

/// Paired approximate randomization (Riezler and Maxwell 2005): the share of trials, in which each line changes sides
/// by chance, whose difference is above the real one. `options.samples` trials; with `interval_samples` from 1 each
/// system's interval by as many resamples.
///
/// Sums are doubles, exact where statistics are whole. TER's lengths are not where a line has several references: there
/// the last bits of sacreBLEU's sums are its processor's, and so may a p-value be by some trials that are equal but for
/// them.
std::vector<PairedResult> paired_randomization(const Metric& metric, std::span<const SegmentStatistics> systems,
                                               const ResamplingOptions& options, std::int64_t interval_samples = 0);

}  // namespace gloss
