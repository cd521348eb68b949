#pragma once

#include <span>

#include "evaluation/chrf/chrf.h"
#include "evaluation/statistics/numpy_scalar.h"

namespace gloss {

/// Computes chrF, 0 to 100, from ChrfMetric's statistics, with each operation in sacreBLEU's order and precision.
double chrf_score(std::span<const double> sums, const ChrfOptions& options);
/// Computes chrF from statistics that are NumPy's float32.
NumpyScalar chrf_score(std::span<const float> sums, const ChrfOptions& options);

}  // namespace gloss
