#include "decoding/batched_search.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "common/error.h"

namespace gloss {
namespace {

void search(const Scorer& scorer, const PaddedIds& source, const DecodingConfig& config, const SearchInputs& given,
            const SearchHooks& hooks) {
  if (config.sampling.enabled)
    sampling_search(scorer, source, config, given, hooks);
  else if (is_greedy(config) && given.phrases.empty())
    greedy_search(scorer, source, config, given, hooks);
  else
    beam_search(scorer, source, config, given, hooks);
}

bool has_phrases(const SearchInputs& given, std::size_t i) {
  return !given.phrases.empty() && !given.phrases[i].empty();
}

/// Returns the inputs of the sentences of a batch. Either all of them have phrases, or none.
SearchInputs part_of(const SearchInputs& given, std::span<const std::size_t> batch) {
  SearchInputs part;
  for (const auto i : batch) {
    if (!given.prefixes.empty()) part.prefixes.push_back(given.prefixes[i]);
    if (has_phrases(given, i)) part.phrases.push_back(given.phrases[i]);
    part.input_indices.push_back(given.input_indices.empty() ? static_cast<std::int64_t>(i) : given.input_indices[i]);
  }
  part.continues_word = given.continues_word;
  part.given_tokens = given.given_tokens;
  part.site = given.site;
  return part;
}

void expect_one_each(const std::string& name, std::size_t count, std::size_t sentences) {
  if (count == 0 || count == sentences) return;
  throw UsageError(name + ": wanted one for each of " + std::to_string(sentences) + " sentences, got " +
                   std::to_string(count));
}

/// Cuts `order`, whose first `with_phrases` sentences have phrases, into batches of at most `size`.
std::vector<std::span<const std::size_t>> cut_into_batches(std::span<const std::size_t> order, std::size_t with_phrases,
                                                           std::size_t size) {
  std::vector<std::span<const std::size_t>> batches;
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    last = std::min(first + size, first < with_phrases ? with_phrases : order.size());
    batches.push_back(order.subspan(first, last - first));
  }
  return batches;
}

/// Returns a hook that takes rows of the batch and calls `hook` with their sentences; empty if `hook` is.
template <typename Result, typename... Arguments>
std::function<Result(std::int64_t, Arguments...)> of_batch(
    const std::function<Result(std::int64_t, Arguments...)>& hook, std::span<const std::size_t> batch) {
  if (!hook) return {};
  return [&hook, batch](std::int64_t row, Arguments... arguments) {
    return hook(static_cast<std::int64_t>(batch[static_cast<std::size_t>(row)]), arguments...);
  };
}

/// Checks the requirements of PhraseProgress.
void expect_pieces(const SearchInputs& given, std::int64_t vocabulary_size) {
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

bool is_greedy(const DecodingConfig& config) {
  return config.beam_size == 1 && !config.sampling.enabled && config.coverage_penalty == 0;
}

void batched_search(const Scorer& scorer, std::span<const Ids> sources, const DecodingConfig& config,
                    const SearchInputs& given, const SearchHooks& hooks) {
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

  for (const auto batch : cut_into_batches(order, with_phrases, static_cast<std::size_t>(config.batch_size))) {
    if (hooks.before_batch) hooks.before_batch(std::ssize(batch));
    std::vector<Ids> rows;
    for (const auto sentence : batch) rows.push_back(sources[sentence]);
    search(scorer, pad(rows, scorer.device()), config, part_of(given, batch),
           {.before_step = hooks.before_step,
            .wanted = of_batch(hooks.wanted, batch),
            .on_token = of_batch(hooks.on_token, batch),
            .on_left_out = of_batch(hooks.on_left_out, batch),
            .on_beam = of_batch(hooks.on_beam, batch),
            .on_found = of_batch(hooks.on_found, batch)});
  }
}

}  // namespace gloss
