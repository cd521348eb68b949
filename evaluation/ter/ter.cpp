#include "evaluation/ter/ter.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "common/text/split.h"
#include "common/text/utf8.h"
#include "evaluation/line_statistics.h"
#include "evaluation/ter/ter_shifts.h"
#include "evaluation/tokenize/characters.h"
#include "evaluation/tokenize/tokenize.h"

namespace gloss {
namespace {

struct Range {
  char32_t first, last;
};

/// Chinese characters, their parts and forms. sacreBLEU's rules for kana match only at the beginning of a line, where
/// it has inserted a space, and thus never apply.
constexpr std::array<Range, 6> kIdeographs = {
    {{0x2e80, 0x2eff}, {0x31c0, 0x31ef}, {0x3200, 0x4dbf}, {0x4e00, 0x9fff}, {0xf900, 0xfaff}, {0xfe30, 0xfe4f}}};
constexpr std::array<Range, 11> kAsianPunctuation = {{{0x3001, 0x3002},
                                                      {0x3008, 0x3011},
                                                      {0x3014, 0x301f},
                                                      {0x30fb, 0x30fb},
                                                      {0xff01, 0xff02},
                                                      {0xff08, 0xff09},
                                                      {0xff0c, 0xff0c},
                                                      {0xff0e, 0xff0e},
                                                      {0xff1a, 0xff1b},
                                                      {0xff1f, 0xff1f},
                                                      {0xff61, 0xff65}}};
constexpr std::u32string_view kSentenceMarks = U".,?:;!\"()";

bool in_ranges(std::span<const Range> ranges, char32_t c) {
  return std::ranges::any_of(ranges, [c](const Range& range) { return range.first <= c && c <= range.last; });
}

/// Rules for the characters of tokens.
class CharacterRules {
 public:
  explicit CharacterRules(const TerOptions& options) : options_(options) {}

  bool none() const { return !options_.no_punct && !(options_.normalized && options_.asian_support); }
  bool drops(char32_t c) const {
    if (!options_.no_punct) return false;
    return kSentenceMarks.find(c) != kSentenceMarks.npos || (options_.asian_support && in_ranges(kAsianPunctuation, c));
  }
  bool sets_apart(char32_t c) const {
    return options_.normalized && options_.asian_support &&
           (in_ranges(kIdeographs, c) || in_ranges(kAsianPunctuation, c));
  }

 private:
  const TerOptions& options_;
};

void append_by_rules(const CharacterRules& rules, std::string_view token, std::string& result) {
  bool begins = true;
  for (std::size_t offset = 0; offset < token.size();) {
    const auto point = decode_utf8(token, offset);
    const auto character = token.substr(offset, point.bytes);
    offset += point.bytes;
    const bool apart = point.value && rules.sets_apart(*point.value);
    begins |= apart;
    if (point.value && rules.drops(*point.value)) continue;
    if (begins && !result.empty()) result += ' ';
    result += character;
    begins = apart;
  }
}

/// Returns whether the text up to `end` ends with a possessive that sacreBLEU separates. Such a possessive is before a
/// space or a symbol, but not before a stop or other white space. The end of the text and of its lines count as spaces.
bool ends_with_possessive(std::string_view token, std::string_view text, std::size_t end) {
  if (!token.ends_with("'s")) return false;
  if (end == text.size() || text[end] == ' ' || text[end] == '\n') return true;
  return text[end] != '.' && text[end] != ',' && white_space_at(text, end) == 0;
}

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

std::string tokenize_tercom(const TerOptions& options, std::string_view line) {
  line = strip_end(line);
  std::string text = options.case_sensitive ? std::string(line) : lower(line), result, buffer;
  std::vector<std::string_view> tokens;
  if (options.normalized) {
    replace_all(text, "\n-", "");
    resolve_entities(text);
    append_western_tokens(text, Alone::kNothing, tokens);
  } else {
    append_tokens(BleuTokenizer::kNone, text, buffer, tokens);
  }

  const CharacterRules rules(options);
  result.reserve(text.size() * 2);
  const auto append = [&](std::string_view token) {
    if (!rules.none()) return append_by_rules(rules, token, result);
    if (!result.empty()) result += ' ';
    result += token;
  };
  for (auto token : tokens) {
    const auto end = static_cast<std::size_t>(token.data() - text.data()) + token.size();
    if (options.normalized && token.size() > 2 && ends_with_possessive(token, text, end)) {
      append(token.substr(0, token.size() - 2));
      token.remove_prefix(token.size() - 2);
    }
    append(token);
  }
  return result;
}

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
  return statistics_of_lines<TerLine>(*this, hypotheses, references, 2, threads, options_);
}

MetricScore TerMetric::score(std::span<const double> sums) const {
  return {.name = name(),
          .score = edit_rate<double>(sums),
          .details = {},
          .figures = {{"num_edits", static_cast<std::int64_t>(sums[0])}, {"ref_length", sums[1]}}};
}

NumpyScalar TerMetric::resample_score(std::span<const float> sums) const { return edit_rate<NumpyScalar>(sums); }

}  // namespace gloss
