#include "evaluation/bleu_lines.h"

#include <algorithm>
#include <cmath>

#include "evaluation/lower_case.h"
#include "evaluation/tokenize.h"
#include "evaluation/white_space.h"

namespace gloss {
namespace {

/// The one closest to `length`, the shorter if equal.
double closest_length(double length, std::span<const BleuMatches::Tokens> references) {
  const auto size = [](const auto& tokens) { return static_cast<double>(tokens.size()); };
  double closest = size(references.front());
  for (const auto& reference : references.subspan(1)) {
    const double difference = std::abs(length - size(reference)), least = std::abs(length - closest);
    if (difference < least || (difference == least && size(reference) < closest)) closest = size(reference);
  }
  return closest;
}

}  // namespace

void BleuLines::read(std::size_t place, std::string_view line) {
  auto& [lower, text] = rooms_[place];
  auto& tokens = matches_.lines[place];
  tokens.clear();
  if (options_.lowercase) {
    lower.clear();
    append_lower(line, lower);
    line = lower;
  }
  line = strip_end(line);
  if (options_.own_tokenizer) {
    text = options_.own_tokenizer->tokenize(line);
    append_tokens(BleuTokenizer::kNone, text, lower, tokens);
  } else {
    append_tokens(options_.tokenizer, line, text, tokens);
  }
}

void BleuLines::count(std::string_view hypothesis, std::span<const std::string_view> references,
                      std::span<double> row) {
  const auto lines = references.size() + 1;
  if (rooms_.size() < lines) {
    rooms_.resize(lines);
    matches_.lines.resize(lines);
  }
  read(0, hypothesis);
  for (std::size_t i = 0; i < references.size(); ++i) read(i + 1, references[i]);
  const auto length = static_cast<double>(matches_.lines[0].size());
  row[0] = length;
  row[1] = closest_length(length, std::span(matches_.lines).subspan(1, references.size()));
  const auto orders = static_cast<std::size_t>(options_.max_order);
  matches_.count(lines, row.subspan(2, orders));
  for (std::size_t n = 0; n < orders; ++n) row[2 + orders + n] = std::max(0.0, length - static_cast<double>(n));
}

}  // namespace gloss
