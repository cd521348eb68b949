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

#include "evaluation/statistics/numpy_metric.h"
#include "evaluation/tokenize/tokenize.h"

namespace gloss {

/// Value of an order without matches (Chen and Cherry 2014).
enum class BleuSmoothing {
  kNone,   ///< no smoothing: the score is 0
  kFloor,  ///< method 1: a value replaces 0 matches
  kAddK,   ///< method 2: a value is added to matches and totals of all orders but the first
  kExp,    ///< method 3: 1 / 2^k matches for the k-th such order
};

/// Names in sacreBLEU's signatures and options.
inline constexpr std::array<std::pair<std::string_view, BleuSmoothing>, 4> kBleuSmoothings{
    {{"none", BleuSmoothing::kNone},
     {"floor", BleuSmoothing::kFloor},
     {"add-k", BleuSmoothing::kAddK},
     {"exp", BleuSmoothing::kExp}}};
std::string_view bleu_smoothing_name(BleuSmoothing smoothing);

/// A tokenizer outside sacreBLEU's regular ones, such as a SentencePiece model.
struct OwnTokenizer {
  std::string name;  ///< name in the signature, such as "flores200"; no "|" or ":"
  /// Returns the tokens of a line, separated by white space. The line has no white space at its end. Called from
  /// several threads.
  std::function<std::string(std::string_view line)> tokenize;
};

/// Options of BLEU, with sacreBLEU's names.
struct BleuOptions {
  BleuTokenizer tokenizer = BleuTokenizer::k13a;
  std::optional<OwnTokenizer> own_tokenizer = std::nullopt;  ///< replaces `tokenizer`
  BleuSmoothing smoothing = BleuSmoothing::kExp;
  std::optional<double> smoothing_value = std::nullopt;  ///< for floor (default 0.1) and add-k (default 1); at least 0
  bool lowercase = false;
  bool effective_order = false;  ///< skips orders that the hypotheses are too short for; for scores of single lines
  std::int64_t max_order = 4;    ///< longest n-grams; 1 to kMaxOrder

  static constexpr std::int64_t kMaxOrder = 100;
  static constexpr double kMaxSmoothingValue = 1e30;

  double smoothing_value_in_use() const;
  /// Throws UsageError.
  void validate() const;
};

/// BLEU (Papineni et al. 2002), identical to sacreBLEU 2.6.0. With several references, the reference length is the one
/// closest to the hypothesis's, the shorter if equal. A row of statistics holds the lengths of hypothesis and reference
/// in tokens, then the matches of each order, then the n-grams of the hypothesis of each order.
class BleuMetric final : public NumpyMetric {
 public:
  /// Creates the metric. Throws UsageError as validate() does.
  explicit BleuMetric(BleuOptions options = {});

  std::string name() const override { return "BLEU"; }
  std::vector<SignatureEntry> settings() const override;
  SegmentStatistics statistics(std::span<const std::string> hypotheses, const References& references,
                               int threads = 1) const override;
  /// Computes the score. Its figures are precisions (0 to 100, smoothed), brevity_penalty, matches, totals,
  /// hypothesis_length and reference_length.
  MetricScore score(std::span<const double> sums) const override;
  NumpyScalar resample_score(std::span<const float> sums) const override;
  double trial_score(std::span<const double> sums) const override;

 private:
  BleuOptions options_;
};

/// Returns the number of lines that end in a space and a period. From 100 on, sacreBLEU warns that the text looks
/// tokenized.
std::int64_t lines_with_tokenized_period(std::span<const std::string> hypotheses);

/// Corpus BLEU with BleuMetric's defaults: cased, exponential smoothing, no effective order, one reference.
struct Bleu {
  double score = 0;                    ///< 0 to 100
  std::array<double, 4> precisions{};  ///< 0 to 100, smoothed; of 1-grams to 4-grams
  double brevity_penalty = 0;
  BleuTokenizer tokenizer = BleuTokenizer::k13a;
};

/// Computes corpus BLEU. Throws DataError if the numbers of lines differ or are 0.
Bleu corpus_bleu(std::span<const std::string> hypotheses, std::span<const std::string> references,
                 BleuTokenizer tokenizer = BleuTokenizer::k13a);

/// Returns the signature: "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0".
std::string bleu_signature(BleuTokenizer tokenizer = BleuTokenizer::k13a);

}  // namespace gloss
