#include "evaluation/chrf/chrf.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "common/config/config_section.h"
#include "common/text/utf8.h"
#include "evaluation/line_statistics.h"
#include "evaluation/ngrams/ngram_matches.h"
#include "evaluation/tokenize/characters.h"

namespace gloss {
namespace {

constexpr char32_t kReplacementCharacter = 0xfffd;

/// Returns whether the code point is in Python's string.punctuation.
bool is_ascii_punctuation(std::uint32_t point) {
  return (point >= '!' && point <= '/') || (point >= ':' && point <= '@') || (point >= '[' && point <= '`') ||
         (point >= '{' && point <= '~');
}

/// The characters and words of a line as numbers, the symbols of chrF's n-grams. Each maximal invalid part of UTF-8
/// counts as one U+FFFD.
class ChrfSymbols {
 public:
  /// Reads a line. White space (as defined by Python) counts as characters only if `with_white_space`.
  void read(std::string_view line, bool with_white_space);
  /// Splits the line into words at white space. An ASCII punctuation mark at the end of a word, or else at its
  /// beginning, becomes a word of its own. Equal words have equal numbers in `table`.
  void number_words(PrefixTable& table);

  /// Returns the number of characters, including white space.
  std::size_t size() const { return points_.size(); }
  std::span<const std::uint32_t> characters() const { return with_white_space_ ? points_ : characters_; }
  std::span<const std::uint32_t> words() const { return words_; }

 private:
  void add_word(PrefixTable& table, std::size_t begin, std::size_t end);

  bool with_white_space_ = false;
  std::vector<std::uint32_t> points_, characters_, words_;
};

void ChrfSymbols::read(std::string_view line, bool with_white_space) {
  with_white_space_ = with_white_space;
  points_.clear();
  characters_.clear();
  for (std::size_t i = 0; i < line.size();) {
    std::uint32_t value = static_cast<unsigned char>(line[i]);
    if (value < 0x80) {
      ++i;
    } else {
      const auto point = decode_utf8(line, i);
      value = point.value.value_or(kReplacementCharacter);
      i += point.bytes;
    }
    points_.push_back(value);
    if (!is_white_space(value)) characters_.push_back(value);
  }
}

void ChrfSymbols::number_words(PrefixTable& table) {
  words_.clear();
  for (std::size_t begin = 0; begin < points_.size(); ++begin) {
    if (is_white_space(points_[begin])) continue;
    std::size_t end = begin + 1;
    while (end < points_.size() && !is_white_space(points_[end])) ++end;
    // "(hi)" becomes "(hi" and ")".
    const bool long_enough = end - begin > 1, mark_at_end = long_enough && is_ascii_punctuation(points_[end - 1]),
               mark_at_begin = long_enough && !mark_at_end && is_ascii_punctuation(points_[begin]);
    if (mark_at_begin) add_word(table, begin, begin + 1);
    add_word(table, mark_at_begin ? begin + 1 : begin, mark_at_end ? end - 1 : end);
    if (mark_at_end) add_word(table, end - 1, end);
    begin = end;
  }
}

void ChrfSymbols::add_word(PrefixTable& table, std::size_t begin, std::size_t end) {
  std::uint32_t number = PrefixTable::kUnknown;  // id of the empty sequence
  for (std::size_t i = begin; i < end; ++i) number = table.number(prefix_key(number, points_[i]));
  words_.push_back(number);
}

double number_of(double number) { return number; }
double number_of(NumpyScalar number) { return number.value; }

/// Computes the formula in `Number` arithmetic from counts of type `Count`. With precision P and recall R of each
/// order: (1 + beta^2) P R / (beta^2 P + R) of the averages, or with epsilon smoothing the average of this value.
template <typename Number, typename Count>
Number f_beta(std::span<const Count> sums, const ChrfOptions& options) {
  const Number epsilon = 1e-16, percent = 100.0;
  const auto beta_squared = static_cast<double>(options.beta * options.beta);
  const Number factor = beta_squared, factor_and_one = 1 + beta_squared;
  Number score = 0.0, precisions = 0.0, recalls = 0.0;
  double effective_orders = 0;
  for (std::size_t i = 0; i + 2 < sums.size(); i += 3) {
    const Count hypothesis = sums[i], reference = sums[i + 1];
    const Number matches = sums[i + 2];
    const Number precision = hypothesis > 0 ? matches / Number(hypothesis) : epsilon;
    const Number recall = reference > 0 ? matches / Number(reference) : epsilon;
    const Number denominator = factor * precision + recall;
    score = score + (number_of(denominator) > 0 ? factor_and_one * precision * recall / denominator : epsilon);
    if (hypothesis > 0 && reference > 0) {
      precisions = precisions + precision;
      recalls = recalls + recall;
      ++effective_orders;
    }
  }
  if (options.eps_smoothing)
    return percent * score / Number(static_cast<double>(options.char_order + options.word_order));
  if (effective_orders == 0) return 0.0;
  const Number precision = precisions / Number(effective_orders), recall = recalls / Number(effective_orders);
  if (number_of(precision + recall) == 0) return 0.0;
  return percent * (factor_and_one * precision * recall / (factor * precision + recall));
}

/// Computes chrF, 0 to 100, from ChrfMetric's statistics, with each operation in sacreBLEU's order and precision.
double chrf_score(std::span<const double> sums, const ChrfOptions& options) { return f_beta<double>(sums, options); }
/// Computes chrF from statistics that are NumPy's float32.
NumpyScalar chrf_score(std::span<const float> sums, const ChrfOptions& options) {
  return f_beta<NumpyScalar>(sums, options);
}

/// Computes rows of statistics; use one object per thread.
class ChrfRow {
 public:
  explicit ChrfRow(const ChrfOptions& options)
      : options_(options), matches_(static_cast<std::size_t>(options.char_order + options.word_order)) {}

  /// Writes the statistics of the best reference to `row`.
  void compute(std::string_view hypothesis, std::span<const std::string> references, std::span<double> row) {
    read(hypothesis, hypothesis_);
    if (references.size() == 1) {
      read(references.front(), reference_);
      return count(row);
    }
    double best = -1;
    std::vector<double> candidate(row.size());
    for (const auto& reference : references) {
      read(reference, reference_);
      count(candidate);
      const double score = chrf_score(candidate, options_);
      if (score <= best) continue;
      best = score;
      std::copy(candidate.begin(), candidate.end(), row.begin());
    }
  }

 private:
  void read(std::string_view line, ChrfSymbols& symbols) const {
    if (options_.lowercase)
      symbols.read(lower(line), options_.whitespace);
    else
      symbols.read(line, options_.whitespace);
  }

  void count(std::span<double> row) {
    const auto characters = static_cast<std::size_t>(options_.char_order);
    count_orders(hypothesis_.characters(), reference_.characters(), 0, characters, row);
    if (options_.word_order == 0) return;
    words_.reset(hypothesis_.size() + reference_.size());
    hypothesis_.number_words(words_);
    reference_.number_words(words_);
    count_orders(hypothesis_.words(), reference_.words(), characters, matches_.size(), row);
  }

  /// Counts the orders 1 to `end` - `begin`, which have the indices `begin` to `end` among all orders.
  void count_orders(NgramMatcher::Symbols hypothesis, NgramMatcher::Symbols reference, std::size_t begin,
                    std::size_t end, std::span<double> row) {
    matcher_.count(hypothesis, {&reference, 1}, std::span(matches_).subspan(begin, end - begin));
    for (auto i = begin; i < end; ++i) {
      const auto ngrams = [before = i - begin](const auto& symbols) {
        return static_cast<double>(symbols.size() - std::min(symbols.size(), before));
      };
      row[3 * i + 1] = ngrams(reference);
      row[3 * i] = row[3 * i + 1] > 0 ? ngrams(hypothesis) : 0;
      row[3 * i + 2] = static_cast<double>(matches_[i]);
    }
  }

  ChrfOptions options_;
  std::vector<std::int64_t> matches_;  // by order: characters, then words
  ChrfSymbols hypothesis_, reference_;
  NgramMatcher matcher_;
  PrefixTable words_;
};

}  // namespace

void ChrfOptions::validate() const {
  const std::string orders = "a whole number from 0 to " + std::to_string(kMaxOrder);
  require(char_order >= 0 && char_order <= kMaxOrder, "char_order", orders, char_order);
  require(word_order >= 0 && word_order <= kMaxOrder, "word_order", orders, word_order);
  require(char_order + word_order > 0, "char_order", "at least 1, or words to be counted", char_order);
  require(beta >= 0 && beta <= kMaxBeta, "beta", "a whole number from 0 to " + std::to_string(kMaxBeta), beta);
}

ChrfMetric::ChrfMetric(const ChrfOptions& options) : options_(options) { options_.validate(); }

std::string ChrfMetric::name() const {
  return "chrF" + std::to_string(options_.beta) + std::string(static_cast<std::size_t>(options_.word_order), '+');
}

std::vector<SignatureEntry> ChrfMetric::settings() const {
  return {{"case", "c", options_.lowercase ? "lc" : "mixed"},
          {"eff", "e", options_.eps_smoothing ? "no" : "yes"},
          {"nc", "nc", std::to_string(options_.char_order)},
          {"nw", "nw", std::to_string(options_.word_order)},
          {"space", "s", options_.whitespace ? "yes" : "no"}};
}

SegmentStatistics ChrfMetric::statistics(std::span<const std::string> hypotheses, const References& references,
                                         int threads) const {
  const auto width = 3 * (options_.char_order + options_.word_order);
  return statistics_of_lines<ChrfRow>(*this, hypotheses, references, width, threads, options_);
}

MetricScore ChrfMetric::score(std::span<const double> sums) const {
  std::vector<std::int64_t> hypothesis, reference, matches;
  for (std::size_t i = 0; i + 2 < sums.size(); i += 3) {
    hypothesis.push_back(static_cast<std::int64_t>(sums[i]));
    reference.push_back(static_cast<std::int64_t>(sums[i + 1]));
    matches.push_back(static_cast<std::int64_t>(sums[i + 2]));
  }
  return {.name = name(),
          .score = chrf_score(sums, options_),
          .details = {},
          .figures = {{"name", name()},
                      {"char_order", options_.char_order},
                      {"word_order", options_.word_order},
                      {"beta", options_.beta},
                      {"hypothesis_ngrams", std::move(hypothesis)},
                      {"reference_ngrams", std::move(reference)},
                      {"matches", std::move(matches)}}};
}

NumpyScalar ChrfMetric::resample_score(std::span<const float> sums) const { return chrf_score(sums, options_); }

}  // namespace gloss
