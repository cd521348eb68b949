#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "evaluation/statistics/numpy_metric.h"
#include "evaluation/ter/ter_tokenize.h"

namespace gloss {

/// Translation edit rate (Snover et al. 2006), identical to sacreBLEU 2.6.0:
///
///     TER = 100 * edits to the nearest reference / average length of the references, in words
///
/// with both terms summed over all lines; 100 if the references are empty and the hypotheses are not. Lower is better.
class TerMetric final : public NumpyMetric {
 public:
  explicit TerMetric(const TerOptions& options = {}) : options_(options) {}

  std::string name() const override { return "TER"; }
  std::vector<SignatureEntry> settings() const override;

  /// Rows hold edits and the average length of the references. Throws DataError also if a line has no reference.
  SegmentStatistics statistics(std::span<const std::string> hypotheses, const References& references,
                               int threads = 1) const override;
  /// Computes the score. Its figures are num_edits and ref_length.
  MetricScore score(std::span<const double> sums) const override;
  NumpyScalar resample_score(std::span<const float> sums) const override;

 private:
  TerOptions options_;
};

}  // namespace gloss
