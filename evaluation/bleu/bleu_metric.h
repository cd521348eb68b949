#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evaluation/metric.h"
#include "evaluation/tokenize/tokenize.h"

namespace gloss {

/// What an order without a match counts for (Chen and Cherry 2014).
enum class BleuSmoothing {
  kNone,   ///< nothing, so that the score is 0
  kFloor,  ///< method 1: a value instead of 0 matches
  kAddK,   ///< method 2: a value more matches and n-grams for all orders but the first
  kExp,    ///< method 3: 1 / 2^k matches for the k-th such order
};

/// As sacreBLEU's signatures and options spell them.
inline constexpr std::array<std::pair<std::string_view, BleuSmoothing>, 4> kBleuSmoothings{
    {{"none", BleuSmoothing::kNone},
     {"floor", BleuSmoothing::kFloor},
     {"add-k", BleuSmoothing::kAddK},
     {"exp", BleuSmoothing::kExp}}};
std::string_view bleu_smoothing_name(BleuSmoothing smoothing);

/// A tokenizer that is none of sacreBLEU's regular ones, such as a SentencePiece model's.
struct OwnTokenizer {
  std::string name;  ///< for the signature, as "flores200"; no "|" or ":"
  /// The tokens of a line without white space at its end, with white space between them. Called by several threads.
  std::function<std::string(std::string_view line)> tokenize;
};

/// sacreBLEU's options of the same names.
struct BleuOptions {
  BleuTokenizer tokenizer = BleuTokenizer::k13a;
  std::optional<OwnTokenizer> own_tokenizer = std::nullopt;  ///< in place of `tokenizer`
  BleuSmoothing smoothing = BleuSmoothing::kExp;
  std::optional<double> smoothing_value = std::nullopt;  ///< of floor (default 0.1) and add-k (default 1); from 0 on
  bool lowercase = false;
  bool effective_order =
      false;                   ///< leaves out orders that the hypotheses are too short for; for scores of single lines
  std::int64_t max_order = 4;  ///< longest n-grams; 1 to kMostOrder

  static constexpr std::int64_t kMostOrder = 100;
  static constexpr double kMostSmoothingValue = 1e30;

  double smoothing_value_in_use() const;
  /// Throws UsageError.
  void validate() const;
};

/// BLEU (Papineni et al. 2002) as sacreBLEU 2.6.0 computes it. With several references the length that counts is the
/// one closest to the hypothesis's, the shorter if equal. A row of statistics has the tokens of the hypothesis, those
/// of the reference, the matches of each order and the n-grams of the hypothesis of each order.
class BleuMetric final : public Metric {
 public:
  /// Throws UsageError as validate() does.
  explicit BleuMetric(BleuOptions options = {});

  std::string name() const override { return "BLEU"; }
  std::vector<SignatureEntry> settings() const override;
  SegmentStatistics statistics(std::span<const std::string> hypotheses, const References& references,
                               int threads = 1) const override;
  /// Its JSON: score, precisions (0 to 100, smoothed), brevity_penalty, matches, totals, hypothesis_length,
  /// reference_length.
  MetricScore score(std::span<const double> sums) const override;
  std::string details(std::span<const double> sums) const override;
  double value(std::span<const double> sums) const override;
  double value(std::span<const float> sums) const override;
  double trial_value(std::span<const double> sums) const override;

 private:
  BleuOptions options_;
};

/// How many lines end in a space and a period: where there are 100, sacreBLEU warns that the text looks tokenized.
std::int64_t lines_with_tokenized_period(std::span<const std::string> hypotheses);

}  // namespace gloss
