#include <numeric>
#include <utility>

#include <ATen/core/Tensor.h>

#include "decoding/candidates.h"
#include "decoding/constraints.h"
#include "decoding/length_limit.h"
#include "decoding/search.h"

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

  std::vector<std::int64_t> unfinished(result.size());  // indices of sentences
  std::iota(unfinished.begin(), unfinished.end(), 0);
  Ids last(result.size(), kBos);                            // their last tokens
  std::vector<double> log_probabilities(result.size(), 0);  // of their tokens so far
  const auto state = scorer.start(source);
  for (std::int64_t length = 1; !unfinished.empty(); ++length) {
    if (hooks.before_step) hooks.before_step();
    const auto B = std::ssize(unfinished);
    std::vector<Constraints::Row> rows;
    for (const auto sentence : unfinished) rows.push_back({sentence, length - 1, &result[sentence].ids});
    const auto top = constraints.step_top(scorer, *state, last, rows, 1, given.site);
    const auto candidates = best_candidates(top, log_probabilities, B, 1);
    const auto attention = top.attention.defined() ? top.attention.to(at::kCPU, at::kFloat).contiguous()  // [rows, S]
                                                   : at::Tensor();

    std::vector<std::int64_t> kept, still_unfinished;
    last.clear();
    for (std::int64_t b = 0; b < B; ++b) {
      const auto sentence = unfinished[b];
      auto& hypothesis = result[sentence];
      const auto& likeliest = candidates[b];
      if (likeliest.empty()) {  // no token is allowed: it ends as it stands
        finish(sentence);
        continue;
      }
      hypothesis.log_probability = likeliest.front().log_probability;
      hypothesis.token_log_probabilities.push_back(likeliest.front().token_log_probability);
      hypothesis.ended = likeliest.front().id == kEos;
      if (!hypothesis.ended) {
        hypothesis.ids.push_back(likeliest.front().id);
        if (attention.defined()) {
          const auto* const row = attention.const_data_ptr<float>() + b * attention.size(1);
          hypothesis.attention.insert(hypothesis.attention.end(), row, row + source.lengths[sentence]);
        }
        if (hooks.on_token) hooks.on_token(sentence, hypothesis.ids.back(), hypothesis.token_log_probabilities.back());
      }
      if (hypothesis.ended || length == limits[sentence]) {
        finish(sentence);
        continue;
      }
      if (!hooks.wants(sentence)) continue;
      kept.push_back(b);
      still_unfinished.push_back(sentence);
      last.push_back(likeliest.front().id);
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
