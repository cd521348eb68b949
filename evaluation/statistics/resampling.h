#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "evaluation/metric.h"
#include "evaluation/statistics/numpy_random.h"
#include "evaluation/statistics/resampling_seed.h"

namespace gloss {

struct ResamplingOptions {
  std::int64_t samples = 1000;  ///< resamples, or trials of paired approximate randomization; at least 1
  ResamplingSeed seed = {};
  int threads = 1;  ///< their number changes no figure
};

/// "mean ± half_width": 95 % of the resampled scores.
struct ConfidenceInterval {
  double mean = 0, half_width = 0;
};

/// Bootstrap resampling (Koehn 2004) of one system's lines, with the figures of `sacrebleu --confidence`: sums and
/// scores in float32, the mean rounded once. sacreBLEU fails where some of a metric's scores are float32 and some are
/// not (Metric::is_float32); here the figures are then doubles.
ConfidenceInterval bootstrap_interval(const Metric& metric, const SegmentStatistics& statistics,
                                      const ResamplingOptions& options);

/// A NumPy array of scores: of float32 if all of them are, else of doubles.
struct ScoreArray {
  std::vector<double> values;
  bool is_float32 = false;
};

/// The scores of each of the systems on `options.samples` resamples of the lines, the same for all; the lines are drawn
/// from `generator`. Never holds more than one resample's sums a thread.
std::vector<ScoreArray> bootstrap_scores(const Metric& metric, std::span<const SegmentStatistics* const> systems,
                                         const Pcg64& generator, const ResamplingOptions& options);

/// Mean and half of the width between the scores 1/40 from both ends, in the array's own precision.
ConfidenceInterval numpy_interval(const ScoreArray& scores);

}  // namespace gloss
