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
