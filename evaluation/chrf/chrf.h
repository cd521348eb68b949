#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "evaluation/metric.h"

namespace gloss {

/// sacreBLEU's options of the same names.
struct ChrfOptions {
  std::int64_t char_order = 6;  ///< longest n-grams of characters; 0 to kMostOrder
  std::int64_t word_order = 0;  ///< longest n-grams of words; 2 is chrF++
  std::int64_t beta = 2;        ///< recall counts as beta times precision; 0 to kMostBeta
  bool whitespace = false;      ///< white space is characters too
  bool lowercase = false;
  bool eps_smoothing = false;  ///< orders that a side has nothing of count as almost 0, else they do not count

  static constexpr std::int64_t kMostOrder = 1000, kMostBeta = 1'000'000;

  /// Throws UsageError whose keys are the names above.
  void validate() const;
};

/// chrF (Popović 2015) and chrF++ (Popović 2017) as sacreBLEU 2.6.0 computes them: precision and recall of n-grams,
/// averaged over the orders, as F-beta. With several references a line counts by the one, the first if equal, whose
/// F-beta is best. A row of statistics has for each order, words behind characters, the n-grams of the hypothesis,
/// those of the reference, and how many of them match; a hypothesis has none of an order that its reference has none
/// of.
class ChrfMetric final : public Metric {
 public:
  /// Throws UsageError as validate() does.
  explicit ChrfMetric(const ChrfOptions& options = {});

  std::string name() const override;
  std::vector<SignatureEntry> settings() const override;
  SegmentStatistics statistics(std::span<const std::string> hypotheses, const References& references,
                               int threads = 1) const override;
  MetricScore score(std::span<const double> sums) const override;
  double value(std::span<const double> sums) const override;
  double value(std::span<const float> sums) const override;
  bool is_float32(std::span<const float> sums) const override;

 private:
  ChrfOptions options_;
};

}  // namespace gloss
