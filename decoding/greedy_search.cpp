#include <numeric>
#include <utility>

#include <ATen/core/Tensor.h>

#include "decoding/candidates.h"
#include "decoding/constraints.h"
#include "decoding/length_limit.h"
#include "decoding/search.h"
#include "decoding/search_ahead.h"

namespace gloss {

std::vector<Hypothesis> greedy_search(const Scorer& scorer, const PaddedIds& source, const DecodingConfig& config,
                                      const SearchInputs& given, const SearchHooks& hooks) {
  const auto limits = length_limits(config, scorer, source.lengths, given.prefixes);
  const Constraints constraints(config, given.prefixes, given.given_tokens);
  std::vector<Hypothesis> result(source.lengths.size());
  if (result.empty()) return result;

  const auto finish = [&](std::int64_t sentence) {
    auto& done = result[sentence];
    done.score = score_of(done, config);
    if (hooks.on_found) hooks.on_found(sentence, {done});
  };

  // Appends the next token of a sentence with its attention, which may be null, and returns whether it goes on.
  const auto advance = [&](std::int64_t sentence, const std::vector<Candidate>& likeliest, const float* attended) {
    auto& hypothesis = result[sentence];
    if (likeliest.empty()) {  // no token is allowed: it ends as it stands
      finish(sentence);
      return false;
    }
    const auto& best = likeliest.front();
    hypothesis.log_probability = best.log_probability;
    hypothesis.token_log_probabilities.push_back(best.token_log_probability);
    hypothesis.ended = best.id == kEos;
    if (!hypothesis.ended) {
      hypothesis.ids.push_back(best.id);
      if (attended != nullptr)
        hypothesis.attention.insert(hypothesis.attention.end(), attended, attended + source.lengths[sentence]);
      if (hooks.on_token) hooks.on_token(sentence, best.id, best.token_log_probability);
    }
    if (!hypothesis.ended && std::ssize(hypothesis.ids) < limits[sentence]) return true;
    finish(sentence);
    return false;
  };

  std::vector<std::int64_t> unfinished(result.size());  // indices of sentences
  std::iota(unfinished.begin(), unfinished.end(), 0);
  Ids last(result.size(), kBos);                            // their last tokens
  std::vector<double> log_probabilities(result.size(), 0);  // of their tokens so far
  const auto state = start_search(scorer, source, config, given);
  for (std::int64_t length = 0; !unfinished.empty(); ++length) {
    if (!given.site && may_run_ahead(scorer, config, given.prefixes, length)) {
      search_ahead(scorer, *state, config, {unfinished, last, log_probabilities, length},
                   {1, 1, std::ranges::max(limits)}, hooks,
                   [&](std::int64_t sentence, auto& candidates) { return advance(sentence, candidates, nullptr); });
      break;
    }
    if (hooks.before_step) hooks.before_step();
    const auto B = std::ssize(unfinished);
    std::vector<Constraints::Row> rows;
    for (const auto sentence : unfinished) rows.push_back({sentence, length, &result[sentence].ids});
    const auto top = constraints.step_top(scorer, *state, last, rows, 1, given.site);
    const auto candidates = best_candidates(top, log_probabilities, B, 1);
    const auto attention = top.attention.defined() ? top.attention.to(at::kCPU, at::kFloat).contiguous()  // [rows, S]
                                                   : at::Tensor();

    std::vector<std::int64_t> kept, still_unfinished;
    last.clear();
    for (std::int64_t b = 0; b < B; ++b) {
      const auto sentence = unfinished[b];
      const auto* const attended =
          attention.defined() ? attention.const_data_ptr<float>() + b * attention.size(1) : nullptr;
      if (!advance(sentence, candidates[b], attended) || !hooks.wants(sentence)) continue;
      kept.push_back(b);
      still_unfinished.push_back(sentence);
      last.push_back(candidates[b].front().id);
    }
    if (kept.size() < unfinished.size() && !kept.empty())
      scorer.select(*state, kept, std::vector<std::int64_t>(kept.size(), 0));
    unfinished = std::move(still_unfinished);
    log_probabilities.clear();
    for (const auto sentence : unfinished) log_probabilities.push_back(result[sentence].log_probability);
  }
  return result;
}

}  // namespace gloss
