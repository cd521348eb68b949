#include "evaluation/bleu_matches.h"

#include <algorithm>

namespace gloss {

void BleuMatches::number_tokens(std::size_t count) {
  std::size_t total = 0;
  for (std::size_t line = 1; line < count; ++line) total += lines[line].size();
  tokens_.reset(total);
  numbers_.clear();
  references_.clear();
  hypothesis_.clear();
  const auto next = [this] { return static_cast<std::uint32_t>(numbers_.size()); };
  for (std::uint32_t line = 1; line < count; ++line) {
    for (const auto token : lines[line]) {
      const auto number = tokens_.number(token);
      references_.push_back({next(), number, line});
      numbers_.push_back(number);
    }
    numbers_.push_back(TokenTable::kUnknown);
  }
  for (const auto token : lines[0]) {
    const auto number = tokens_.find(token);
    if (number != TokenTable::kUnknown) hypothesis_.push_back({next(), number, 0});
    numbers_.push_back(number);
  }
  numbers_.push_back(TokenTable::kUnknown);
}

void BleuMatches::count_references() {
  for (const auto& place : references_) {
    auto& entry = entries_[place.prefix];
    if (entry.line != place.line) {
      entry.line = place.line;
      entry.there = 0;
    }
    entry.most = std::max(entry.most, ++entry.there);
  }
}

std::int64_t BleuMatches::match_hypothesis() {
  std::int64_t matches = 0;
  for (const auto& place : hypothesis_) {
    auto& entry = entries_[place.prefix];
    entry.met = true;
    if (entry.most == 0) continue;
    --entry.most;
    ++matches;
  }
  std::erase_if(references_, [this](const Place& place) { return !entries_[place.prefix].met; });
  return matches;
}

/// From n-grams of `order` - 1 tokens to those of `order`.
void BleuMatches::extend(std::size_t order) {
  ngrams_.reset(references_.size());
  const auto last = [&](const Place& place) { return numbers_[place.begin + order - 1]; };
  const auto drop = [&](std::vector<Place>& places, auto number) {
    std::size_t kept = 0;
    for (auto place : places) {
      const auto token = last(place);
      if (token == TokenTable::kUnknown) continue;
      place.prefix = number(place.prefix, token);
      if (place.prefix != PrefixTable::kUnknown) places[kept++] = place;
    }
    places.resize(kept);
  };
  drop(references_, [this](auto prefix, auto token) { return ngrams_.number(prefix, token); });
  drop(hypothesis_, [this](auto prefix, auto token) { return ngrams_.find(prefix, token); });
}

void BleuMatches::count(std::size_t count, std::span<double> matches) {
  std::ranges::fill(matches, 0);
  number_tokens(count);
  for (std::size_t order = 1; order <= matches.size() && !hypothesis_.empty(); ++order) {
    if (order > 1) extend(order);
    entries_.assign(order == 1 ? tokens_.count() : ngrams_.count(), {});
    count_references();
    matches[order - 1] = static_cast<double>(match_hypothesis());
  }
}

}  // namespace gloss
