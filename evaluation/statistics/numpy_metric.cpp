#include "evaluation/statistics/numpy_metric.h"

#include <vector>

namespace gloss {

NumpyScalar resample_score(const Metric& metric, std::span<const float> sums) {
  if (const auto* numpy = dynamic_cast<const NumpyMetric*>(&metric)) return numpy->resample_score(sums);
  return metric.score(std::vector<double>(sums.begin(), sums.end())).score;
}

double trial_score(const Metric& metric, std::span<const double> sums) {
  const auto* numpy = dynamic_cast<const NumpyMetric*>(&metric);
  return numpy != nullptr ? numpy->trial_score(sums) : metric.score(sums).score;
}

}  // namespace gloss
