#pragma once

#include <span>

#include "evaluation/chrf/chrf.h"
#include "evaluation/statistics/numpy_scalar.h"

namespace gloss {

/// chrF, 0 to 100, of statistics as ChrfMetric has them; each operation in the order and precision of sacreBLEU.
double chrf_score(std::span<const double> sums, const ChrfOptions& options);
/// The same where the statistics are NumPy's float32.
NumpyScalar chrf_score(std::span<const float> sums, const ChrfOptions& options);

}  // namespace gloss
