#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gloss {

/// The references of a test set. Lines may have different numbers of references, at least one.
struct References {
  std::vector<std::vector<std::string>> of_line;

  /// Creates references with one text per line.
  static References single(std::span<const std::string> lines);
  /// Creates references from `streams[k][line]`, sacreBLEU's layout. Throws DataError if the streams differ in length.
  static References in_streams(std::span<const std::vector<std::string>> streams);

  std::int64_t lines() const { return static_cast<std::int64_t>(of_line.size()); }
  /// Returns the number of references per line for the signature, or "var" if lines differ.
  std::string count() const;
};

/// A metric's statistics: a row of `width` numbers for each line. The sum of the rows gives the corpus score.
struct SegmentStatistics {
  std::int64_t width = 0;
  std::vector<double> values;  ///< [lines, width]; integers except for TER's lengths

  std::int64_t lines() const { return width == 0 ? 0 : static_cast<std::int64_t>(values.size()) / width; }
  std::span<const double> row(std::int64_t line) const {
    return std::span(values).subspan(static_cast<std::size_t>(line * width), static_cast<std::size_t>(width));
  }
};

/// An entry of a signature in sacreBLEU's order, such as {"case", "c", "mixed"}; the version is appended later.
struct SignatureEntry {
  std::string name, short_name, value;
};

/// A figure that a score is made of: a number, a text, or one number for each order of n-grams.
using ScoreFigure = std::variant<double, std::int64_t, std::string, std::vector<double>, std::vector<std::int64_t>>;

/// The score of a metric for a set of lines.
struct MetricScore {
  std::string name;     ///< "BLEU", "chrF2++", "TER"
  double score = 0;     ///< 0 to 100; TER may be above
  std::string details;  ///< text that sacreBLEU prints after the score: "67.9/50.0 (BP = 1.000 ..."; empty for most
  std::vector<std::pair<std::string, ScoreFigure>> figures;  ///< unrounded, by name: "precisions", "brevity_penalty"
};

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

/// A score of translations against references, identical to sacreBLEU 2.6.0.
class Metric {
 public:
  virtual ~Metric() = default;

  /// Returns the name: "BLEU", "chrF2++", "TER".
  virtual std::string name() const = 0;
  /// Returns the metric's settings: the entries of a signature between the seed and the version.
  virtual std::vector<SignatureEntry> settings() const = 0;

  /// Computes the statistics of each line, independent of the number of threads. Throws DataError if the numbers of
  /// lines differ or are 0.
  virtual SegmentStatistics statistics(std::span<const std::string> hypotheses, const References& references,
                                       int threads = 1) const = 0;
  /// Computes the score from the sum of rows, or from one row for the score of a line.
  virtual MetricScore score(std::span<const double> sums) const = 0;

  // Scores of resamples. A metric overrides them to get sacreBLEU's bits, by computing with NumPy's types as it does.

  /// Computes the score of a bootstrap resample, whose sums are NumPy's float32. The result is a double if sacreBLEU's
  /// formula leaves NumPy's numbers, through math.exp() or a literal 0.0.
  virtual NumpyScalar resample_score(std::span<const float> sums) const {
    return score(std::vector<double>(sums.begin(), sums.end())).score;
  }
  /// Computes the score of a trial of paired approximate randomization. NumPy represents the statistics there as
  /// integers, so values added by smoothing are truncated to integers.
  virtual double trial_score(std::span<const double> sums) const { return score(sums).score; }
};

/// Throws DataError with the metric's name unless there are lines, equally many hypotheses and references, and at least
/// one reference per line.
void expect_scorable(const std::string& metric, std::span<const std::string> hypotheses, const References& references);

/// Returns the sum of the rows, added in their order.
std::vector<double> sum_of_rows(const SegmentStatistics& statistics);

/// The entries of a signature besides the metric's settings.
struct SignatureContext {
  std::string references = "1";                    ///< References::count()
  std::optional<std::int64_t> bootstrap = {};      ///< resamples
  std::optional<std::int64_t> randomization = {};  ///< trials of paired randomization
  std::optional<std::string> seed = {};            ///< "12345", or "none"
};

/// Returns the signature: "nrefs:1|bs:1000|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"; short:
/// "#:1|bs:1000|rs:12345|...".
std::string signature(const Metric& metric, const SignatureContext& context, bool short_names = false);

}  // namespace gloss
