#include "evaluation/bleu/ngram_matches.h"

#include <algorithm>

namespace gloss {

void NgramMatcher::count(Symbols hypothesis, std::span<const Symbols> references, std::span<std::int64_t> matches) {
  const auto all_places = [](Symbols symbols, std::vector<Place>& places) {
    places.clear();
    for (std::uint32_t i = 0; i < symbols.size(); ++i) places.push_back({i, 0});
  };
  all_places(hypothesis, hypothesis_places_);
  if (reference_places_.size() < references.size()) reference_places_.resize(references.size());
  for (std::size_t k = 0; k < references.size(); ++k) all_places(references[k], reference_places_[k]);

  std::ranges::fill(matches, 0);
  for (std::size_t order = 1; order <= matches.size() && !hypothesis_places_.empty(); ++order) {
    std::size_t places = 0;
    for (std::size_t k = 0; k < references.size(); ++k) places += reference_places_[k].size();
    table_.reset(places);
    entries_.clear();
    for (std::size_t k = 0; k < references.size(); ++k)
      count_reference(references[k], static_cast<std::uint32_t>(k), order);
    matches[order - 1] = match_hypothesis(hypothesis, order);
    for (std::size_t k = 0; k < references.size(); ++k)
      std::erase_if(reference_places_[k], [this](const Place& place) { return !entries_[place.prefix].met; });
  }
}

void NgramMatcher::count_reference(Symbols reference, std::uint32_t number, std::size_t order) {
  auto& places = reference_places_[number];
  // The places ascend, so those too near to the end are the last ones.
  while (!places.empty() && places.back().begin + order > reference.size()) places.pop_back();
  for (auto& place : places) {
    place.prefix = table_.number(sequence(place.prefix, reference[place.begin + order - 1]));
    if (place.prefix == entries_.size()) entries_.emplace_back();
    auto& entry = entries_[place.prefix];
    if (entry.last_reference != number) {
      entry.last_reference = number;
      entry.there = 0;
    }
    entry.left = std::max(entry.left, ++entry.there);
  }
}

std::int64_t NgramMatcher::match_hypothesis(Symbols hypothesis, std::size_t order) {
  std::int64_t matches = 0;
  std::size_t kept = 0;
  for (const auto place : hypothesis_places_) {
    if (place.begin + order > hypothesis.size()) break;
    const auto number = table_.find(sequence(place.prefix, hypothesis[place.begin + order - 1]));
    if (number == PrefixTable::kUnknown) continue;
    auto& entry = entries_[number];
    entry.met = true;
    if (entry.left > 0) {
      --entry.left;
      ++matches;
    }
    hypothesis_places_[kept++] = {place.begin, number};
  }
  hypothesis_places_.resize(kept);
  return matches;
}

}  // namespace gloss
