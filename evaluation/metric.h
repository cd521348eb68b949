#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/config/json.h"

namespace gloss {

/// The references of a test set. Lines may have different numbers of them, never none.
struct References {
  std::vector<std::vector<std::string>> of_line;

  /// One for each line.
  static References single(std::span<const std::string> lines);
  /// `streams[k][line]`, as sacreBLEU takes them. Throws DataError where they are not all of one length.
  static References in_streams(std::span<const std::vector<std::string>> streams);

  std::int64_t lines() const { return static_cast<std::int64_t>(of_line.size()); }
  /// As a signature says it: how many each line has, or "var" where lines differ.
  std::string count() const;
};

/// What a metric has to know of each line, a row of `width` numbers each; the sum of rows gives the corpus's score.
struct SegmentStatistics {
  std::int64_t width = 0;
  std::vector<double> values;  ///< [lines, width]; whole numbers, but for TER's lengths

  std::int64_t lines() const { return width == 0 ? 0 : static_cast<std::int64_t>(values.size()) / width; }
  std::span<const double> row(std::int64_t line) const {
    return std::span(values).subspan(static_cast<std::size_t>(line * width), static_cast<std::size_t>(width));
  }
};

/// Keys in sacreBLEU's order with the short name of each, as {"case", "c", "mixed"}; the version is added by the text.
struct SignatureEntry {
  std::string name, short_name, value;
};

struct MetricScore {
  std::string name;     ///< "BLEU", "chrF2++", "TER"
  double score = 0;     ///< 0 to 100; TER may be above
  std::string details;  ///< Metric::details()
  Json json;            ///< all of it unrounded, for --json; holds "score"
};

/// A score for translations against references, as sacreBLEU 2.6.0 computes it.
class Metric {
 public:
  virtual ~Metric() = default;

  /// "BLEU", "chrF2++", "TER".
  virtual std::string name() const = 0;
  /// The metric's own settings: those of a signature that stand between the seed and the version.
  virtual std::vector<SignatureEntry> settings() const = 0;

  /// Throws DataError where the counts of lines differ or there are none. Equal for every number of threads.
  virtual SegmentStatistics statistics(std::span<const std::string> hypotheses, const References& references,
                                       int threads = 1) const = 0;
  /// From the sum of rows, or from one row for a line's own score.
  virtual MetricScore score(std::span<const double> sums) const = 0;
  /// The score alone.
  virtual double value(std::span<const double> sums) const = 0;
  /// What sacreBLEU prints behind the score, "67.9/50.0 (BP = 1.000 ...".
  virtual std::string details(std::span<const double>) const { return {}; }
  /// The score alone in float32 arithmetic, as NumPy 2 does it where sacreBLEU resamples.
  virtual double value(std::span<const float> sums) const = 0;
  /// Whether NumPy holds that score as a float32; what is then made of the scores is so too. Where sacreBLEU's formula
  /// comes out of NumPy's numbers, by math.exp() or a literal 0.0, it is a double.
  virtual bool is_float32(std::span<const float>) const { return false; }
  /// The score of a trial of paired approximate randomization. There NumPy holds whole statistics as integers, so that
  /// what a smoothing adds to one is cut to a whole number too.
  virtual double trial_value(std::span<const double> sums) const { return value(sums); }
};

/// Throws DataError naming the metric unless there are lines, as many of them as of references, and each has a
/// reference.
void expect_aligned(const std::string& metric, std::span<const std::string> hypotheses, const References& references);

/// Rows added up in their order.
std::vector<double> sum_of_rows(const SegmentStatistics& statistics);

/// What a signature says beside the metric's own settings.
struct SignatureContext {
  std::string references = "1";               ///< References::count()
  std::optional<std::int64_t> bootstrap;      ///< resamples
  std::optional<std::int64_t> randomization;  ///< trials of the paired test
  std::optional<std::string> seed;            ///< "12345", or "none"
};

/// "nrefs:1|bs:1000|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"; short: "#:1|bs:1000|rs:12345|...".
std::string signature(const Metric& metric, const SignatureContext& context, bool short_names = false);

}  // namespace gloss
