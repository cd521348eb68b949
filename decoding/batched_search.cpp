#include "decoding/batched_search.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "common/error.h"

namespace gloss {
namespace {

std::vector<std::vector<Hypothesis>> search(const Scorer& scorer, const PaddedIds& source, const DecodingConfig& config,
                                            const PerSentence& given, const SearchHooks& hooks) {
  if (config.sampling.enabled) return sampling_search(scorer, source, config, given, hooks);
  if (config.beam_size > 1 || config.coverage_penalty > 0 || !given.phrases.empty())
    return beam_search(scorer, source, config, given, hooks);
  std::vector<std::vector<Hypothesis>> result;
  for (auto& hypothesis : greedy_search(scorer, source, config, given, hooks))
    result.push_back({std::move(hypothesis)});
  return result;
}

/// Returns hooks for a batch whose row b is the sentence `batch[b]`. `hooks` must outlive them.
SearchHooks hooks_of_batch(const SearchHooks& hooks, std::span<const std::size_t> batch) {
  const auto sentence = [batch](std::int64_t row) { return static_cast<std::int64_t>(batch[row]); };
  SearchHooks result{.before_step = hooks.before_step};
  if (hooks.on_token)
    result.on_token = [&hooks, sentence](std::int64_t row, Id token, double log_probability) {
      hooks.on_token(sentence(row), token, log_probability);
    };
  if (hooks.on_left_out)
    result.on_left_out = [&hooks, sentence](std::int64_t row, std::int64_t phrases) {
      hooks.on_left_out(sentence(row), phrases);
    };
  if (hooks.on_found)
    result.on_found = [&hooks, sentence](std::int64_t row, const std::vector<Hypothesis>& found) {
      hooks.on_found(sentence(row), found);
    };
  return result;
}

bool has_phrases(const PerSentence& given, std::size_t i) {
  return !given.phrases.empty() && !given.phrases[i].empty();
}

/// Returns the inputs of the sentences of a batch. Either all of them have phrases, or none.
PerSentence part_of(const PerSentence& given, std::span<const std::size_t> batch) {
  PerSentence part;
  for (const auto i : batch) {
    if (!given.prefixes.empty()) part.prefixes.push_back(given.prefixes[i]);
    if (has_phrases(given, i)) part.phrases.push_back(given.phrases[i]);
    part.input_indices.push_back(given.input_indices.empty() ? static_cast<std::int64_t>(i) : given.input_indices[i]);
  }
  part.continues_word = given.continues_word;
  return part;
}

void expect_one_each(const std::string& name, std::size_t count, std::size_t sentences) {
  if (count == 0 || count == sentences) return;
  throw UsageError(name + ": wanted one for each of " + std::to_string(sentences) + " sentences, got " +
                   std::to_string(count));
}

/// Checks the requirements of PhraseProgress.
void expect_pieces(const PerSentence& given, std::int64_t vocabulary_size) {
  if (given.phrases.empty()) return;
  if (std::ssize(given.continues_word) != vocabulary_size)
    throw UsageError("continues_word: wanted one for each of " + std::to_string(vocabulary_size) + " pieces, got " +
                     std::to_string(given.continues_word.size()));
  for (std::size_t i = 0; i < given.phrases.size(); ++i)
    for (const auto& phrase : given.phrases[i]) {
      if (phrase.ids.empty())
        throw UsageError("phrases: wanted one piece at least, got a phrase of sentence " + std::to_string(i + 1) +
                         " that has none");
      for (const auto id : phrase.ids)
        if (id < kSpecialIds || id >= vocabulary_size)
          throw UsageError("phrases: wanted pieces from " + std::to_string(kSpecialIds) + " to " +
                           std::to_string(vocabulary_size - 1) + ", got " + std::to_string(id) + " for sentence " +
                           std::to_string(i + 1) + "; it is of another vocabulary");
    }
}

}  // namespace

std::vector<std::vector<Hypothesis>> batched_search(const Scorer& scorer, std::span<const Ids> sources,
                                                    const DecodingConfig& config, const PerSentence& given,
                                                    const SearchHooks& hooks) {
  config.validate();
  expect_one_each("prefixes", given.prefixes.size(), sources.size());
  expect_one_each("phrases", given.phrases.size(), sources.size());
  expect_one_each("input_indices", given.input_indices.size(), sources.size());
  if (!given.phrases.empty() && config.sampling.enabled)
    throw UsageError("phrases: translations that are drawn cannot be made to contain any; search for them");
  expect_pieces(given, scorer.vocabulary_size());
  // Sentences that are not empty: first those with phrases, then the others, each the longest first.
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (!sources[i].empty()) order.push_back(i);
  }
  std::ranges::stable_sort(order, std::greater{},
                           [&](std::size_t i) { return std::pair(has_phrases(given, i), sources[i].size()); });
  const auto others = std::ranges::partition_point(order, [&](std::size_t i) { return has_phrases(given, i); });
  const auto with_phrases = static_cast<std::size_t>(others - order.begin());

  std::vector<std::vector<Hypothesis>> result(sources.size());
  const auto batch_size = static_cast<std::size_t>(config.batch_size);
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    if (hooks.before_batch) hooks.before_batch();
    last = std::min(first + batch_size, first < with_phrases ? with_phrases : order.size());
    const auto batch = std::span(order).subspan(first, last - first);
    std::vector<Ids> rows;
    for (const auto i : batch) rows.push_back(sources[i]);
    auto found =
        search(scorer, pad(rows, scorer.device()), config, part_of(given, batch), hooks_of_batch(hooks, batch));
    for (std::size_t b = 0; b < batch.size(); ++b) result[batch[b]] = std::move(found[b]);
  }
  return result;
}

}  // namespace gloss
