#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evaluation/statistics/numpy_metric.h"

namespace gloss {

/// Settings of sacreBLEU's TER for preparing a line.
struct TerOptions {
  bool normalized = false;  ///< resolves entities and separates punctuation
  bool no_punct = false;    ///< drops punctuation
  bool asian_support =
      false;  ///< with `normalized`: separates Chinese characters; with `no_punct`: drops their punctuation
  bool case_sensitive = false;  ///< no lowercasing
};

/// Returns the tokens of a line, joined by single spaces, as sacreBLEU's tokenizer "tercom" does.
std::string tokenize_tercom(const TerOptions& options, std::string_view line);

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
