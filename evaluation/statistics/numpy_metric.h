#pragma once

#include <span>
#include <vector>

#include "evaluation/metric.h"

namespace gloss {

/// A number in a formula that mixes NumPy's float32 scalars with Python's floats. An operation with a float32 operand
/// is rounded to float32 (NEP 50); operations of Python floats are double.
struct NumpyScalar {
  double value = 0;
  bool is_float32 = false;

  NumpyScalar(double python_float) : value(python_float) {}
  NumpyScalar(float numpy_float32) : value(numpy_float32), is_float32(true) {}
};

template <typename Operation>
NumpyScalar combined(NumpyScalar a, NumpyScalar b, Operation operation) {
  if (!a.is_float32 && !b.is_float32) return operation(a.value, b.value);
  return operation(static_cast<float>(a.value), static_cast<float>(b.value));
}

inline NumpyScalar operator+(NumpyScalar a, NumpyScalar b) {
  return combined(a, b, [](auto x, auto y) { return x + y; });
}
inline NumpyScalar operator*(NumpyScalar a, NumpyScalar b) {
  return combined(a, b, [](auto x, auto y) { return x * y; });
}
inline NumpyScalar operator/(NumpyScalar a, NumpyScalar b) {
  return combined(a, b, [](auto x, auto y) { return x / y; });
}

/// A metric whose resampled scores equal sacreBLEU's to the last bit, computed with NumPy's types as sacreBLEU does. A
/// metric that has no such example derives from Metric alone.
class NumpyMetric : public Metric {
 public:
  /// Computes the score of a bootstrap resample, whose sums are NumPy's float32. The result is a double if sacreBLEU's
  /// formula leaves NumPy's numbers, through math.exp() or a literal 0.0.
  virtual NumpyScalar resample_score(std::span<const float> sums) const = 0;
  /// Computes the score of a trial of paired approximate randomization. NumPy represents the statistics there as
  /// integers, so values added by smoothing are truncated to integers.
  virtual double trial_score(std::span<const double> sums) const { return score(sums).score; }
};

/// Computes the score of a resample or trial as a NumpyMetric does, or by Metric::score() of any other metric.
inline NumpyScalar resample_score(const Metric& metric, std::span<const float> sums) {
  if (const auto* numpy = dynamic_cast<const NumpyMetric*>(&metric)) return numpy->resample_score(sums);
  return metric.score(std::vector<double>(sums.begin(), sums.end())).score;
}
inline double trial_score(const Metric& metric, std::span<const double> sums) {
  const auto* numpy = dynamic_cast<const NumpyMetric*>(&metric);
  return numpy != nullptr ? numpy->trial_score(sums) : metric.score(sums).score;
}

}  // namespace gloss
