#include "decoding/replaced_words.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "decoding/forced_scores.h"

namespace gloss {
namespace {

/// For each phrase of a sentence, the attention of each token of a translation to its source.
using Attended = std::vector<std::vector<float>>;

/// Returns the pieces of each sentence of a padded batch.
std::vector<Ids> rows_of(const PaddedIds& batch) {
  const auto ids = batch.ids.cpu();
  std::vector<Ids> rows;
  for (std::int64_t b = 0; b < ids.size(0); ++b) {
    const auto* const row = ids.const_data_ptr<std::int64_t>() + b * ids.size(1);
    rows.emplace_back(row, row + batch.lengths[b]);
  }
  return rows;
}

/// Reads the attention of given translations. Empty if the scorer has none.
std::vector<Attended> attention_of(const Scorer& scorer, const PaddedIds& source, const std::vector<Ids>& translations,
                                   const SearchInputs& given, const std::function<void()>& before_step) {
  std::vector<Attended> result;
  for (std::size_t b = 0; b < translations.size(); ++b)
    result.emplace_back(given.phrases[b].size(), std::vector<float>(translations[b].size()));
  const auto take = [&](std::size_t b, const at::Tensor& weights) {  // [T, S]
    const auto T = weights.size(0), S = weights.size(1);
    const std::span all(weights.const_data_ptr<float>(), static_cast<std::size_t>(T * S));
    for (std::size_t p = 0; p < result[b].size(); ++p) {
      const auto& phrase = given.phrases[b][p];
      for (auto t = given.given_tokens; t < T; ++t)
        for (auto s = phrase.source_begin; s < phrase.source_end; ++s) result[b][p][t] += all[t * S + s];
    }
  };
  const bool has_attention = forced_attention(scorer, AttentionSite{}, rows_of(source), translations,
                                              std::ssize(translations), take, before_step);
  return has_attention ? std::move(result) : std::vector<Attended>();
}

using Span = std::pair<std::int64_t, std::int64_t>;  // tokens of a translation

/// Returns the word with the most attention. If pieces do not mark words, these are the strongest token and those
/// around it with at least half its attention.
Span strongest_word(const Ids& ids, const std::vector<float>& attended, const Phrase& phrase,
                    const SearchInputs& given) {
  const auto best = std::ranges::max_element(attended) - attended.begin();
  const auto together = [&](std::int64_t left) {  // whether this token and the next belong together
    if (phrase.has_word_marks) return given.continues_word[ids[left + 1]] != 0;
    return std::min(attended[left], attended[left + 1]) >= attended[best] / 2;
  };
  Span span(best, best + 1);
  while (span.first > given.given_tokens && together(span.first - 1)) --span.first;
  while (span.second < std::ssize(ids) && together(span.second - 1)) ++span.second;
  return span;
}

std::vector<ReplacedWord> words_of(const Ids& ids, const Attended& attended, std::span<const Phrase> phrases,
                                   const SearchInputs& given) {
  constexpr float kMinWordAttention = 0.1F;  // with less attention a phrase's source has no translation of its own
  std::set<Span> spans;
  for (std::size_t p = 0; p < phrases.size(); ++p) {
    if (attended[p].empty() || std::ranges::max(attended[p]) < kMinWordAttention) continue;
    const auto span = strongest_word(ids, attended[p], phrases[p], given);
    const Ids word(ids.begin() + span.first, ids.begin() + span.second);
    const auto has_word = [&](const Phrase& other) {
      return other.replaces(phrases[p]) && count_occurrences(other.ids, word) > 0;
    };
    if (std::ranges::none_of(phrases, has_word)) spans.insert(span);
  }
  std::vector<ReplacedWord> result;
  for (const auto& [first, last] : spans) {
    Ids word(ids.begin() + first, ids.begin() + last);
    const auto same = [&](const ReplacedWord& other) { return other.ids == word; };
    if (const auto found = std::ranges::find_if(result, same); found != result.end())
      --found->elsewhere;
    else
      result.push_back({word, count_occurrences(ids, word) - 1});
  }
  return result;
}

}  // namespace

std::vector<std::vector<ReplacedWord>> replaced_words(const Scorer& scorer, const PaddedIds& source,
                                                      const DecodingConfig& config, const SearchInputs& given,
                                                      const SearchHooks& hooks) {
  const auto any_has_source = [](const auto& phrases) { return std::ranges::any_of(phrases, &Phrase::has_source); };
  if (std::ranges::none_of(given.phrases, any_has_source)) return {};
  std::vector<Ids> translations;
  for (auto& found :
       greedy_search(scorer, source, config, {.prefixes = given.prefixes, .given_tokens = given.given_tokens},
                     {.before_step = hooks.before_step}))
    translations.push_back(std::move(found.ids));
  const auto attended = attention_of(scorer, source, translations, given, hooks.before_step);
  if (attended.empty()) return {};
  std::vector<std::vector<ReplacedWord>> result;
  for (std::size_t b = 0; b < translations.size(); ++b)
    result.push_back(words_of(translations[b], attended[b], given.phrases[b], given));
  return result;
}

}  // namespace gloss
