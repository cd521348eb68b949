#include "evaluation/bleu/bleu_lines.h"

#include <algorithm>
#include <cmath>

#include "evaluation/tokenize/characters.h"
#include "evaluation/tokenize/strip.h"
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

}  // namespace

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

void BleuLines::count(std::string_view hypothesis, std::span<const std::string> references, std::span<double> row) {
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

}  // namespace gloss
