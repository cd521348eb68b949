#include "documents/translation_memory.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "documents/element_placement.h"

namespace gloss {
namespace {

constexpr std::uint32_t kUnknownWord = static_cast<std::uint32_t>(-1);

/// Returns the least number of words that are inserted, removed or replaced to make one text of the other.
std::size_t edit_distance(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const bool differs = a[i] != b[j] || a[i] == kUnknownWord;
      const auto best = std::min({diagonal + (differs ? 1 : 0), row[j] + 1, row[j + 1] + 1});
      diagonal = std::exchange(row[j + 1], best);
    }
  }
  return row.back();
}

/// Returns the least number of words that a similar text of `words` words has in common with another.
std::size_t min_common_words(std::size_t words) {
  return static_cast<std::size_t>(std::ceil(TranslationMemory::kMinSimilarity * static_cast<double>(words) - 1e-9));
}

}  // namespace

TranslationMemory::TranslationMemory(const std::filesystem::path& path, const std::string& source_language,
                                     const std::string& target_language) {
  TmxReader reader(path, source_language, target_language);
  for (TextPair pair; reader.next(pair);) {
    const auto [place, is_new] = by_source_.try_emplace(pair.source, units_.size());
    if (is_new)
      units_.push_back(std::move(pair));
    else
      units_[place->second].target = std::move(pair.target);
  }
  index();
}

void TranslationMemory::index() {
  std::vector<std::pair<Words, std::size_t>> order;
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    for (const auto& atom : text_atoms(units_[unit].source))
      word_ids_.try_emplace(std::string(atom.of(units_[unit].source)), static_cast<std::uint32_t>(word_ids_.size()));
    order.emplace_back(words_of_text(units_[unit].source), unit);
  }
  std::ranges::stable_sort(order, {}, [](const auto& entry) { return entry.first.size(); });
  std::vector<TextPair> sorted;
  units_of_word_.resize(word_ids_.size());
  for (auto& [words, unit] : order) {
    const auto number = static_cast<std::uint32_t>(sorted.size());
    for (const auto word : words)
      if (units_of_word_[word].empty() || units_of_word_[word].back() != number) units_of_word_[word].push_back(number);
    by_source_[units_[unit].source] = number;
    sorted.push_back(std::move(units_[unit]));
    words_.push_back(std::move(words));
  }
  units_ = std::move(sorted);
}

TranslationMemory::Words TranslationMemory::words_of_text(std::string_view text) const {
  Words words;
  for (const auto& atom : text_atoms(text)) {
    const auto found = word_ids_.find(std::string(atom.of(text)));
    words.push_back(found == word_ids_.end() ? kUnknownWord : found->second);
  }
  return words;
}

std::optional<std::string> TranslationMemory::exact(std::string_view text) const {
  const auto found = by_source_.find(single_spaced_text(text));
  return found == by_source_.end() ? std::nullopt : std::optional(units_[found->second].target);
}

/// A similar text has min_common_words of the words. So it has one of the others and one more: the rarest of these are
/// looked up.
std::vector<std::uint32_t> TranslationMemory::candidates(const Words& words) const {
  const auto count_of = [&](std::uint32_t word) { return word == kUnknownWord ? 0 : units_of_word_[word].size(); };
  auto rarest = words;
  std::ranges::sort(rarest, {}, [&](auto word) { return std::pair(count_of(word), word); });
  rarest.resize(words.size() - min_common_words(words.size()) + 1);
  rarest.erase(std::unique(rarest.begin(), rarest.end()), rarest.end());
  const auto max_words = static_cast<std::size_t>(static_cast<double>(words.size()) / kMinSimilarity + 1e-9);
  std::vector<std::uint32_t> units;
  const auto size_of = [&](std::uint32_t unit) { return words_[unit].size(); };
  for (const auto word : rarest) {
    if (word == kUnknownWord) continue;
    const auto& of_word = units_of_word_[word];
    const auto begin = std::ranges::lower_bound(of_word, min_common_words(words.size()), {}, size_of);
    units.insert(units.end(), begin, std::ranges::upper_bound(of_word, max_words, {}, size_of));
  }
  std::ranges::sort(units);
  units.erase(std::unique(units.begin(), units.end()), units.end());
  return units;
}

std::vector<FuzzyMatch> TranslationMemory::fuzzy(std::string_view text, std::size_t limit) const {
  const auto words = words_of_text(text);
  if (words.empty() || words.size() > kMaxFuzzyWords) return {};
  std::vector<std::pair<double, std::uint32_t>> found;
  for (const auto unit : candidates(words)) {
    const auto longest = static_cast<double>(std::max(words.size(), words_[unit].size()));
    const auto similarity = 1 - static_cast<double>(edit_distance(words, words_[unit])) / longest;
    if (similarity >= kMinSimilarity - 1e-9) found.emplace_back(-similarity, unit);
  }
  std::ranges::sort(found);
  found.resize(std::min(found.size(), limit));
  std::vector<FuzzyMatch> matches;
  for (const auto& [similarity, unit] : found)
    matches.push_back({units_[unit].source, units_[unit].target, -similarity});
  return matches;
}

}  // namespace gloss
