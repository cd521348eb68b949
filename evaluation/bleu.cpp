#include "evaluation/bleu.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/error.h"
#include "evaluation/white_space.h"

namespace gloss {
namespace {

constexpr std::size_t kMaxOrder = 4;
using Tokens = std::vector<std::int32_t>;
using Ngram = std::array<std::int32_t, kMaxOrder>;  // a shorter n-gram leaves the rest -1

/// Gives equal tokens equal numbers.
class TokenNumbers {
 public:
  explicit TokenNumbers(BleuTokenizer tokenizer) : tokenizer_(tokenizer) {}

  Tokens operator()(std::string_view line) {
    const std::string text = tokenize(tokenizer_, strip_end(line));
    Tokens tokens;
    for (std::size_t begin = 0; begin < text.size();) {
      const auto end = std::min(text.find(' ', begin), text.size());
      tokens.push_back(numbers_.try_emplace(text.substr(begin, end - begin), numbers_.size()).first->second);
      begin = end + 1;
    }
    return tokens;
  }

 private:
  BleuTokenizer tokenizer_;
  std::unordered_map<std::string, std::int32_t> numbers_;
};

std::vector<Ngram> sorted_ngrams(const Tokens& tokens, std::size_t order) {
  std::vector<Ngram> ngrams;
  for (std::size_t i = 0; i + order <= tokens.size(); ++i) {
    Ngram ngram;
    ngram.fill(-1);
    std::copy_n(tokens.begin() + static_cast<std::ptrdiff_t>(i), order, ngram.begin());
    ngrams.push_back(ngram);
  }
  std::sort(ngrams.begin(), ngrams.end());
  return ngrams;
}

void count_segment(const Tokens& hypothesis, const Tokens& reference, Bleu& sums) {
  sums.hypothesis_length += std::ssize(hypothesis);
  sums.reference_length += std::ssize(reference);
  for (std::size_t order = 1; order <= kMaxOrder; ++order) {
    const auto said = sorted_ngrams(hypothesis, order), wanted = sorted_ngrams(reference, order);
    std::vector<Ngram> common;  // as multisets: an n-gram counts as often as both have it
    std::set_intersection(said.begin(), said.end(), wanted.begin(), wanted.end(), std::back_inserter(common));
    sums.matches[order - 1] += std::ssize(common);
    sums.totals[order - 1] += std::ssize(said);
  }
}

double brevity_penalty(std::int64_t hypothesis_length, std::int64_t reference_length) {
  if (hypothesis_length >= reference_length) return 1;
  if (hypothesis_length == 0) return 0;
  return std::exp(1 - static_cast<double>(reference_length) / static_cast<double>(hypothesis_length));
}

/// n-gram precisions in percent. Exponential smoothing (Chen and Cherry 2014, method 3): the k-th order without a match
/// counts as 1 / 2^k matches. Zeros where nothing matches at all, and from the first order on that has no n-grams.
std::array<double, kMaxOrder> smoothed_precisions(const Bleu& counts) {
  std::array<double, kMaxOrder> precisions{};
  if (std::all_of(counts.matches.begin(), counts.matches.end(), [](auto count) { return count == 0; }))
    return precisions;
  double divisor = 1;
  for (std::size_t n = 0; n < kMaxOrder && counts.totals[n] > 0; ++n) {
    const auto matches = static_cast<double>(counts.matches[n]), total = static_cast<double>(counts.totals[n]);
    precisions[n] = matches > 0 ? 100 * matches / total : 100 / ((divisor *= 2) * total);
  }
  return precisions;
}

/// The brevity penalty times the geometric mean of the precisions; 0 where one of them is.
double score(const Bleu& bleu) {
  double sum = 0;
  for (const double precision : bleu.precisions) {
    if (precision == 0) return 0;
    sum += std::log(precision);
  }
  return bleu.brevity_penalty * std::exp(sum / kMaxOrder);
}

}  // namespace

Bleu corpus_bleu(std::span<const std::string> hypotheses, std::span<const std::string> references,
                 BleuTokenizer tokenizer) {
  if (hypotheses.size() != references.size())
    throw DataError("BLEU: wanted as many hypotheses as references, got " + std::to_string(hypotheses.size()) +
                    " hypotheses and " + std::to_string(references.size()) + " references");
  if (hypotheses.empty()) throw DataError("BLEU: wanted at least one line, got none");
  Bleu bleu{.tokenizer = tokenizer};
  TokenNumbers numbers(tokenizer);
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const auto hypothesis = numbers(hypotheses[i]), reference = numbers(references[i]);
    count_segment(hypothesis, reference, bleu);
  }
  bleu.brevity_penalty = brevity_penalty(bleu.hypothesis_length, bleu.reference_length);
  bleu.precisions = smoothed_precisions(bleu);
  bleu.score = score(bleu);
  return bleu;
}

std::string bleu_signature(BleuTokenizer tokenizer) {
  return "nrefs:1|case:mixed|eff:no|tok:" + std::string(bleu_tokenizer_name(tokenizer)) + "|smooth:exp|version:2.6.0";
}

}  // namespace gloss
