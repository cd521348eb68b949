#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "evaluation/statistics/numpy_metric.h"

namespace gloss {

/// Options of chrF, with sacreBLEU's names.
struct ChrfOptions {
  std::int64_t char_order = 6;  ///< maximum order of character n-grams; 0 to kMaxOrder
  std::int64_t word_order = 0;  ///< maximum order of word n-grams; 2 is chrF++
  std::int64_t beta = 2;        ///< weight of recall relative to precision; 0 to kMaxBeta
  bool whitespace = false;      ///< white space counts as characters
  bool lowercase = false;
  bool eps_smoothing = false;  ///< orders without n-grams on one side count as almost 0; otherwise they are skipped

  static constexpr std::int64_t kMaxOrder = 1000, kMaxBeta = 1'000'000;

  /// Throws UsageError with the names above as keys.
  void validate() const;
};

/// chrF (Popović 2015) and chrF++ (Popović 2017), identical to sacreBLEU 2.6.0: the F-beta of precision and recall of
/// n-grams, averaged over the orders. With several references, a line is scored against the one with the best F-beta,
/// the first if equal. A row of statistics holds for each order (characters, then words) the n-grams of the hypothesis,
/// those of the reference, and their matches. The count of the hypothesis is 0 for an order without n-grams in its
/// reference.
class ChrfMetric final : public NumpyMetric {
 public:
  /// Creates the metric. Throws UsageError as validate() does.
  explicit ChrfMetric(const ChrfOptions& options = {});

  std::string name() const override;
  std::vector<SignatureEntry> settings() const override;
  SegmentStatistics statistics(std::span<const std::string> hypotheses, const References& references,
                               int threads = 1) const override;
  MetricScore score(std::span<const double> sums) const override;
  NumpyScalar resample_score(std::span<const float> sums) const override;

 private:
  ChrfOptions options_;
};

}  // namespace gloss
