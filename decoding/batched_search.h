#pragma once

#include <functional>
#include <span>
#include <vector>

#include "decoding/search.h"

namespace gloss {

/// Searches many sentences, pieces and eos each, batch by batch, the longest first: by sampling where that is enabled;
/// by greedy search where beam_size is 1 and no coverage counts; else by beam search. The hypotheses of each sentence,
/// best first, in the order of `sources`; none for an empty row. `before_batch`, where there is one, is called before
/// each batch and may throw to give up; `hooks` are called within. `given` is of `sources`.
std::vector<std::vector<Hypothesis>> batched_search(const Scorer& scorer, std::span<const Ids> sources,
                                                    const DecodingConfig& config,
                                                    const std::function<void()>& before_batch = {},
                                                    const PerSentence& given = {}, const SearchHooks& hooks = {});

}  // namespace gloss
