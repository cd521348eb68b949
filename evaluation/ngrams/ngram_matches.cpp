#include "evaluation/ngrams/ngram_matches.h"

#include <algorithm>

namespace gloss {

void NgramMatcher::count(Symbols hypothesis, std::span<const Symbols> references, std::span<std::int64_t> matches) {
  const auto all_occurrences = [](Symbols symbols, std::vector<Occurrence>& occurrences) {
    occurrences.clear();
    for (std::uint32_t i = 0; i < symbols.size(); ++i) occurrences.push_back({i, 0});
  };
  all_occurrences(hypothesis, hypothesis_ngrams_);
  if (reference_ngrams_.size() < references.size()) reference_ngrams_.resize(references.size());
  for (std::size_t k = 0; k < references.size(); ++k) all_occurrences(references[k], reference_ngrams_[k]);

  std::ranges::fill(matches, 0);
  for (std::size_t order = 1; order <= matches.size() && !hypothesis_ngrams_.empty(); ++order) {
    std::size_t occurrences = 0;
    for (std::size_t k = 0; k < references.size(); ++k) occurrences += reference_ngrams_[k].size();
    table_.reset(occurrences);
    entries_.clear();
    for (std::size_t k = 0; k < references.size(); ++k)
      count_reference(references[k], static_cast<std::uint32_t>(k), order);
    matches[order - 1] = match_hypothesis(hypothesis, order);
    for (std::size_t k = 0; k < references.size(); ++k)
      std::erase_if(reference_ngrams_[k],
                    [this](const Occurrence& occurrence) { return !entries_[occurrence.prefix].in_hypothesis; });
  }
}

void NgramMatcher::count_reference(Symbols reference, std::uint32_t number, std::size_t order) {
  auto& occurrences = reference_ngrams_[number];
  // The occurrences ascend, so those too close to the end are the last ones.
  while (!occurrences.empty() && occurrences.back().begin + order > reference.size()) occurrences.pop_back();
  for (auto& occurrence : occurrences) {
    occurrence.prefix = table_.number(prefix_key(occurrence.prefix, reference[occurrence.begin + order - 1]));
    if (occurrence.prefix == entries_.size()) entries_.emplace_back();
    auto& entry = entries_[occurrence.prefix];
    if (entry.last_reference != number) {
      entry.last_reference = number;
      entry.count = 0;
    }
    entry.left = std::max(entry.left, ++entry.count);
  }
}

std::int64_t NgramMatcher::match_hypothesis(Symbols hypothesis, std::size_t order) {
  std::int64_t matches = 0;
  std::size_t kept = 0;
  for (const auto occurrence : hypothesis_ngrams_) {
    if (occurrence.begin + order > hypothesis.size()) break;
    const auto number = table_.find(prefix_key(occurrence.prefix, hypothesis[occurrence.begin + order - 1]));
    if (number == PrefixTable::kUnknown) continue;
    auto& entry = entries_[number];
    entry.in_hypothesis = true;
    if (entry.left > 0) {
      --entry.left;
      ++matches;
    }
    hypothesis_ngrams_[kept++] = {occurrence.begin, number};
  }
  hypothesis_ngrams_.resize(kept);
  return matches;
}

}  // namespace gloss
