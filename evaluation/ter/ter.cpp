#include "evaluation/ter/ter.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "common/text/split.h"
#include "evaluation/parallel_for.h"
#include "evaluation/ter/ter_shifts.h"

namespace gloss {
namespace {

std::vector<std::string_view> words_of(std::string_view tokens) {
  if (tokens.empty()) return {};
  return split_text(tokens, ' ');
}

/// Computes the statistics of single lines; use one object per thread.
class TerLine {
 public:
  explicit TerLine(const TerOptions& options) : options_(options) {}

  void compute(std::string_view hypothesis, std::span<const std::string> references, std::span<double> row) {
    const auto hypothesis_text = tokenize_tercom(options_, hypothesis);
    const auto hypothesis_words = words_of(hypothesis_text);
    std::int64_t best = 0, count = 0;
    std::size_t length = 0;
    for (const auto& reference : references) {
      // sacreBLEU prepares references twice. The second time changes what the first one has uncovered: "&amp;lt;".
      auto reference_text = tokenize_tercom(options_, reference);
      if (options_.normalized) reference_text = tokenize_tercom(options_, reference_text);
      const auto reference_words = words_of(reference_text);
      number(hypothesis_words, reference_words);
      const auto edits = shifts_.edits(hypothesis_, reference_);
      best = count == 0 ? edits : std::min(best, edits);
      length += reference_words.size();
      ++count;
    }
    row[0] = static_cast<double>(best);
    row[1] = static_cast<double>(length) / static_cast<double>(count);
  }

 private:
  /// Numbers the words. The number of a word is its index in the sorted words of the reference, or -1.
  void number(std::span<const std::string_view> hypothesis, std::span<const std::string_view> reference) {
    vocabulary_.assign(reference.begin(), reference.end());
    std::ranges::sort(vocabulary_);
    const auto number_of = [&](std::string_view word) {
      const auto position = std::ranges::lower_bound(vocabulary_, word);
      return position == vocabulary_.end() || *position != word
                 ? -1
                 : static_cast<std::int32_t>(position - vocabulary_.begin());
    };
    hypothesis_.resize(hypothesis.size());
    reference_.resize(reference.size());
    std::ranges::transform(hypothesis, hypothesis_.begin(), number_of);
    std::ranges::transform(reference, reference_.begin(), number_of);
  }

  TerOptions options_;
  TerShifts shifts_;
  std::vector<std::string_view> vocabulary_;
  std::vector<std::int32_t> hypothesis_, reference_;
};

/// Computes the score in the arithmetic of the sums, which is left where no words are divided by.
template <typename Result, typename Number>
Result edit_rate(std::span<const Number> sums) {
  const auto edits = sums[0], length = sums[1];
  if (length > 0) return 100 * (edits / length);
  return edits > 0 ? 100.0 : 0.0;
}

}  // namespace

std::vector<SignatureEntry> TerMetric::settings() const {
  const auto yes = [](bool value) { return value ? "yes" : "no"; };
  return {{"case", "c", options_.case_sensitive ? "mixed" : "lc"},
          {"tok", "t", "tercom"},
          {"norm", "nr", yes(options_.normalized)},
          {"punct", "pn", yes(!options_.no_punct)},
          {"asian", "as", yes(options_.asian_support)}};
}

SegmentStatistics TerMetric::statistics(std::span<const std::string> hypotheses, const References& references,
                                        int threads) const {
  const auto lines = static_cast<std::int64_t>(hypotheses.size());
  expect_scorable(name(), hypotheses, references);
  SegmentStatistics statistics{.width = 2, .values = std::vector<double>(hypotheses.size() * 2)};
  parallel_for(lines, threads, [&](std::int64_t begin, std::int64_t end) {
    TerLine computed(options_);
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      computed.compute(hypotheses[i], references.of_line[i], std::span(statistics.values).subspan(2 * i, 2));
  });
  return statistics;
}

MetricScore TerMetric::score(std::span<const double> sums) const {
  return {.name = name(),
          .score = edit_rate<double>(sums),
          .details = {},
          .figures = {{"num_edits", static_cast<std::int64_t>(sums[0])}, {"ref_length", sums[1]}}};
}

NumpyScalar TerMetric::resample_score(std::span<const float> sums) const { return edit_rate<NumpyScalar>(sums); }

}  // namespace gloss
