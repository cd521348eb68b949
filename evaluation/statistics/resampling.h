#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "evaluation/metric.h"
#include "evaluation/statistics/numpy.h"
#include "evaluation/statistics/resampling_seed.h"

namespace gloss {

struct ResamplingOptions {
  std::int64_t samples = 1000;  ///< resamples, or trials of paired approximate randomization; at least 1
  ResamplingSeed seed = {};
  int threads = 1;  ///< results do not depend on it
};

/// A confidence interval: mean ± half_width contains 95 % of the resampled scores.
struct ConfidenceInterval {
  double mean = 0, half_width = 0;
};

/// Computes an interval by bootstrap resampling (Koehn 2004) of one system's lines. The values are those of `sacrebleu
/// --confidence`: sums and scores in float32, the mean rounded once. If only some scores of a metric are float32
/// (NumpyMetric), sacreBLEU fails; here the results are doubles.
ConfidenceInterval bootstrap_interval(const Metric& metric, const SegmentStatistics& statistics,
                                      const ResamplingOptions& options);

/// A NumPy array of scores: float32 if all of them are, otherwise double.
struct ScoreArray {
  std::vector<double> values;
  bool is_float32 = false;
};

/// Returns the scores of each system on `options.samples` resamples of the lines, the same resamples for all, drawn
/// from `generator`. Stores at most one resample's sums per thread.
std::vector<ScoreArray> bootstrap_scores(const Metric& metric, std::span<const SegmentStatistics* const> systems,
                                         const Pcg64& generator, const ResamplingOptions& options);

/// Returns the mean, and half the distance between the scores 1/40 from both ends, in the array's precision.
ConfidenceInterval numpy_interval(const ScoreArray& scores);

}  // namespace gloss
