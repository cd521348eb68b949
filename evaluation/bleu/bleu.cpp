#include "evaluation/bleu/bleu.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/config/config_section.h"
#include "common/error.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "evaluation/line_statistics.h"
#include "evaluation/metric.h"
#include "evaluation/ngrams/ngram_matches.h"
#include "evaluation/tokenize/characters.h"
#include "evaluation/tokenize/tokenize.h"

namespace gloss {
namespace {

/// Returns the length closest to `length`, the shorter if equal.
double closest_length(double length, std::span<const NgramMatcher::Symbols> references) {
  const auto size = [](const auto& symbols) { return static_cast<double>(symbols.size()); };
  double closest = size(references.front());
  for (const auto& reference : references.subspan(1)) {
    const double difference = std::abs(length - size(reference)), least = std::abs(length - closest);
    if (difference < least || (difference == least && size(reference) < closest)) closest = size(reference);
  }
  return closest;
}

/// Counts BLEU's statistics of lines. Reuses its memory from line to line; use one object per thread.
class BleuLines {
 public:
  /// `options` must outlive it.
  explicit BleuLines(const BleuOptions& options)
      : options_(options), matches_(static_cast<std::size_t>(options.max_order)) {}

  /// Returns the size of a row: two lengths, and matches and totals of each order.
  static std::int64_t width(const BleuOptions& options) { return 2 + 2 * options.max_order; }

  /// Fills the `row` of one line.
  void compute(std::string_view hypothesis, std::span<const std::string> references, std::span<double> row);

 private:
  struct Line {
    std::string lower, text;  // storage that the tokens may refer to
    std::vector<std::string_view> tokens;
    std::vector<std::uint32_t> numbers;  // ids of the tokens
  };

  void read(std::string_view text, Line& line) const;
  void number_tokens(std::span<Line> lines);

  const BleuOptions& options_;
  std::vector<Line> lines_;  // the hypothesis, followed by its references
  TokenTable tokens_;
  std::vector<NgramMatcher::Symbols> references_;
  std::vector<std::int64_t> matches_;  // by order
  NgramMatcher matcher_;
};

void BleuLines::read(std::string_view text, Line& line) const {
  line.tokens.clear();
  if (options_.lowercase) {
    line.lower.clear();
    append_lower(text, line.lower);
    text = line.lower;
  }
  text = strip_end(text);
  if (options_.own_tokenizer) {
    line.text = options_.own_tokenizer->tokenize(text);
    append_tokens(BleuTokenizer::kNone, line.text, line.lower, line.tokens);
  } else {
    append_tokens(options_.tokenizer, text, line.text, line.tokens);
  }
}

/// Numbers the tokens of the lines. All tokens of the hypothesis that occur in no reference share one id.
void BleuLines::number_tokens(std::span<Line> lines) {
  std::size_t total = 0;
  for (const auto& line : lines.subspan(1)) total += line.tokens.size();
  tokens_.reset(total);
  for (auto& line : lines.subspan(1)) {
    line.numbers.clear();
    for (const auto token : line.tokens) line.numbers.push_back(tokens_.number(token));
  }
  auto& hypothesis = lines.front();
  hypothesis.numbers.clear();
  for (const auto token : hypothesis.tokens) hypothesis.numbers.push_back(tokens_.find(token));
}

void BleuLines::compute(std::string_view hypothesis, std::span<const std::string> references, std::span<double> row) {
  if (lines_.size() < references.size() + 1) lines_.resize(references.size() + 1);
  const auto lines = std::span(lines_).first(references.size() + 1);
  read(hypothesis, lines[0]);
  for (std::size_t i = 0; i < references.size(); ++i) read(references[i], lines[i + 1]);
  number_tokens(lines);
  references_.clear();
  for (const auto& line : lines.subspan(1)) references_.emplace_back(line.numbers);
  matcher_.count(lines[0].numbers, references_, matches_);

  const auto length = static_cast<double>(lines[0].tokens.size());
  row[0] = length;
  row[1] = closest_length(length, references_);
  for (std::size_t n = 0; n < matches_.size(); ++n) {
    row[2 + n] = static_cast<double>(matches_[n]);
    row[2 + matches_.size() + n] = std::max(0.0, length - static_cast<double>(n));
  }
}

/// BLEU and its factors.
struct BleuScore {
  double score = 0;                ///< 0 to 100
  std::vector<double> precisions;  ///< 0 to 100, smoothed
  double brevity_penalty = 1;
};

/// Number type of the statistics, and thus of arithmetic with them.
enum class BleuNumbers {
  kPython,        ///< Python numbers: everything is double
  kNumpyFloat32,  ///< NumPy float32; a Python number is rounded to float32 (NEP 50)
  kNumpyInt64,    ///< NumPy int64: a value added to one is truncated to an integer; the rest is double
};

/// Returns "67.9/50.0/33.3/20.0 (BP = 0.905 ratio = 0.909 hyp_len = 10 ref_len = 11)".
std::string details_of(const BleuScore& bleu, double hypothesis_length, double reference_length) {
  std::string text;
  for (const double precision : bleu.precisions)
    text.append(text.empty() ? "" : "/").append(formatted("%.1f", precision));
  const double ratio = reference_length == 0 ? 0 : hypothesis_length / reference_length;
  return text + formatted(" (BP = %.3f ratio = %.3f hyp_len = %.0f ref_len = %.0f)", bleu.brevity_penalty, ratio,
                          hypothesis_length, reference_length);
}

std::vector<std::int64_t> whole(std::span<const double> counts) { return {counts.begin(), counts.end()}; }

double brevity_penalty(double hypothesis_length, double reference_length) {
  if (hypothesis_length >= reference_length) return 1;
  if (hypothesis_length == 0) return 0;
  return std::exp(1 - reference_length / hypothesis_length);
}

/// Computes the n-gram precisions in the arithmetic of `Number`, and the number of orders that count.
template <typename Number>
std::int64_t fill_precisions(const BleuOptions& options, std::span<const double> matches,
                             std::span<const double> totals, BleuNumbers numbers, std::vector<double>& precisions) {
  const double value = options.smoothing_value_in_use();
  const auto increased = [&](Number count) {
    const Number sum = count + static_cast<Number>(value);
    return numbers == BleuNumbers::kNumpyInt64 ? std::trunc(sum) : sum;
  };
  double divisor = 1;
  auto effective_order = options.max_order;
  for (std::size_t n = 0; n < precisions.size(); ++n) {
    auto match = static_cast<Number>(matches[n]), total = static_cast<Number>(totals[n]);
    if (options.smoothing == BleuSmoothing::kAddK && n > 0) {
      match = increased(match);
      total = increased(total);
    }
    if (total == 0) break;
    if (options.effective_order) effective_order = static_cast<std::int64_t>(n) + 1;
    if (match != 0) {
      precisions[n] = Number{100} * match / total;
    } else if (options.smoothing == BleuSmoothing::kExp) {
      precisions[n] = Number{100} / (static_cast<Number>(divisor *= 2) * total);
    } else if (options.smoothing == BleuSmoothing::kFloor) {
      precisions[n] = static_cast<Number>(100 * value) / total;
    }
  }
  return effective_order;
}

/// Returns the logarithm, with sacreBLEU's substitute for the logarithm of 0.
double finite_log(double precision) { return precision == 0 ? -9999999999.0 : std::log(precision); }

/// Computes BLEU = BP exp(1/N sum of log p_n), N = options.max_order (Papineni et al. 2002, section 2.3). `sums`: the
/// sum of rows of BleuMetric's statistics.
BleuScore bleu_score(const BleuOptions& options, std::span<const double> sums,
                     BleuNumbers numbers = BleuNumbers::kPython) {
  const auto orders = static_cast<std::size_t>(options.max_order);
  const auto matches = sums.subspan(2, orders), totals = sums.subspan(2 + orders, orders);
  BleuScore bleu{0, std::vector<double>(orders), brevity_penalty(sums[0], sums[1])};
  if (std::ranges::all_of(matches, [](double count) { return count == 0; })) return bleu;
  const auto effective_order = numbers == BleuNumbers::kNumpyFloat32
                                   ? fill_precisions<float>(options, matches, totals, numbers, bleu.precisions)
                                   : fill_precisions<double>(options, matches, totals, numbers, bleu.precisions);
  double sum = 0;
  for (std::int64_t n = 0; n < effective_order; ++n) sum += finite_log(bleu.precisions[static_cast<std::size_t>(n)]);
  bleu.score = bleu.brevity_penalty * std::exp(sum / static_cast<double>(effective_order));
  return bleu;
}

}  // namespace

std::string_view bleu_smoothing_name(BleuSmoothing smoothing) {
  return choice_name(smoothing, Choices<BleuSmoothing>(kBleuSmoothings));
}

double BleuOptions::smoothing_value_in_use() const {
  return smoothing_value.value_or(smoothing == BleuSmoothing::kAddK ? 1 : 0.1);
}

void BleuOptions::validate() const {
  if (max_order < 1 || max_order > kMaxOrder)
    throw UsageError("BLEU's max_order: wanted 1 to " + std::to_string(kMaxOrder) + ", got " +
                     std::to_string(max_order));
  if (smoothing_value && !(*smoothing_value >= 0 && *smoothing_value <= kMaxSmoothingValue))
    throw UsageError(formatted("BLEU's smoothing value: wanted 0 to %g, got %g", kMaxSmoothingValue, *smoothing_value));
  if (own_tokenizer && (own_tokenizer->name.empty() || own_tokenizer->name.find_first_of("|:") != std::string::npos))
    throw UsageError("the name of a tokenizer of BLEU: wanted one without | and :, got \"" +
                     printable(own_tokenizer->name) + "\"");
}

BleuMetric::BleuMetric(BleuOptions options) : options_(std::move(options)) { options_.validate(); }

std::vector<SignatureEntry> BleuMetric::settings() const {
  std::string smoothing(bleu_smoothing_name(options_.smoothing));
  if (options_.smoothing == BleuSmoothing::kFloor || options_.smoothing == BleuSmoothing::kAddK)
    smoothing += formatted("[%.2f]", options_.smoothing_value_in_use());
  return {
      {"case", "c", options_.lowercase ? "lc" : "mixed"},
      {"eff", "e", options_.effective_order ? "yes" : "no"},
      {"tok", "tok",
       options_.own_tokenizer ? options_.own_tokenizer->name : std::string(bleu_tokenizer_name(options_.tokenizer))},
      {"smooth", "s", smoothing}};
}

SegmentStatistics BleuMetric::statistics(std::span<const std::string> hypotheses, const References& references,
                                         int threads) const {
  return statistics_of_lines<BleuLines>(*this, hypotheses, references, BleuLines::width(options_), threads, options_);
}

MetricScore BleuMetric::score(std::span<const double> sums) const {
  const auto bleu = bleu_score(options_, sums);
  const auto orders = static_cast<std::size_t>(options_.max_order);
  return {.name = name(),
          .score = bleu.score,
          .details = details_of(bleu, sums[0], sums[1]),
          .figures = {{"precisions", bleu.precisions},
                      {"brevity_penalty", bleu.brevity_penalty},
                      {"matches", whole(sums.subspan(2, orders))},
                      {"totals", whole(sums.subspan(2 + orders, orders))},
                      {"hypothesis_length", static_cast<std::int64_t>(sums[0])},
                      {"reference_length", static_cast<std::int64_t>(sums[1])}}};
}

NumpyScalar BleuMetric::resample_score(std::span<const float> sums) const {
  const std::vector<double> same(sums.begin(), sums.end());
  return bleu_score(options_, same, BleuNumbers::kNumpyFloat32).score;
}

double BleuMetric::trial_score(std::span<const double> sums) const {
  return bleu_score(options_, sums, BleuNumbers::kNumpyInt64).score;
}

std::int64_t lines_with_tokenized_period(std::span<const std::string> hypotheses) {
  return std::ranges::count_if(hypotheses, [](const auto& line) { return line.ends_with(" ."); });
}

Bleu corpus_bleu(std::span<const std::string> hypotheses, std::span<const std::string> references,
                 BleuTokenizer tokenizer) {
  const BleuOptions options{.tokenizer = tokenizer};
  const auto sums = sum_of_rows(BleuMetric(options).statistics(hypotheses, References::single(references)));
  const auto score = bleu_score(options, sums);
  Bleu bleu{.score = score.score, .brevity_penalty = score.brevity_penalty, .tokenizer = tokenizer};
  std::ranges::copy(score.precisions, bleu.precisions.begin());
  return bleu;
}

std::string bleu_signature(BleuTokenizer tokenizer) {
  return signature(BleuMetric(BleuOptions{.tokenizer = tokenizer}), {});
}

}  // namespace gloss
