#include "evaluation/ngram_matches.h"

#include <cstddef>

namespace gloss {
namespace {

std::int64_t ngrams_of(std::span<const std::uint32_t> symbols, std::size_t order) {
  return symbols.size() < order ? 0 : static_cast<std::int64_t>(symbols.size() - order + 1);
}

}  // namespace

void NgramMatcher::count(std::span<const std::uint32_t> hypothesis, std::span<const std::uint32_t> reference,
                         std::span<NgramMatches> orders) {
  hypothesis_places_.clear();
  reference_places_.clear();
  for (std::uint32_t i = 0; i < hypothesis.size(); ++i) hypothesis_places_.push_back({i, 0});
  for (std::uint32_t i = 0; i < reference.size(); ++i) reference_places_.push_back({i, 0});
  for (std::size_t n = 1; n <= orders.size(); ++n) {
    auto& order = orders[n - 1];
    order = {ngrams_of(hypothesis, n), ngrams_of(reference, n), 0};
    if (!hypothesis_places_.empty()) order.matches = count_order(hypothesis, reference, n);
  }
}

std::int64_t NgramMatcher::count_order(std::span<const std::uint32_t> hypothesis,
                                       std::span<const std::uint32_t> reference, std::size_t order) {
  // The places ascend, so those too near to the end are the last ones.
  const auto drop_last = [order](std::vector<Place>& places, std::size_t size) {
    while (!places.empty() && places.back().begin + order > size) places.pop_back();
  };
  drop_last(hypothesis_places_, hypothesis.size());
  drop_last(reference_places_, reference.size());

  table_.reset(reference_places_.size());
  entries_.clear();
  for (auto& place : reference_places_) {
    place.prefix = table_.number(place.prefix, reference[place.begin + order - 1]);
    if (place.prefix == entries_.size()) entries_.push_back({0, false});
    ++entries_[place.prefix].left;
  }

  std::int64_t matches = 0;
  std::size_t kept = 0;
  for (const auto place : hypothesis_places_) {
    const auto number = table_.find(place.prefix, hypothesis[place.begin + order - 1]);
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
  std::erase_if(reference_places_, [&](const Place& place) { return !entries_[place.prefix].met; });
  return matches;
}

}  // namespace gloss
