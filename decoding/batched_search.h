#pragma once

#include <span>

#include "decoding/search.h"

namespace gloss {

/// Returns whether sentences without phrases are searched greedily: beam_size is 1, and there is neither sampling nor a
/// coverage penalty.
bool is_greedy(const DecodingConfig& config);

/// Searches many sentences (pieces and eos each) batch by batch, the longest first, and passes the hypotheses of each
/// to hooks.on_found, best first. Empty rows are skipped. The search is sampling if enabled; greedy if is_greedy and
/// the sentence has no phrases; otherwise beam search. Sentences with phrases form batches of their own.
///
/// Throws UsageError if `config` is invalid, if `given` has another number of sentences, if a phrase is empty or has an
/// id that is not a piece of the scorer's vocabulary, if `continues_word` has another size, or for phrases with
/// sampling; exceptions of the scorer, of the search and of hooks leave unchanged.
///
///     std::vector<std::vector<Hypothesis>> found(sources.size());
///     batched_search(scorer, sources, config, {},
///                    {.on_found = [&](std::int64_t i, const auto& hypotheses) { found[i] = hypotheses; }});
void batched_search(const Scorer& scorer, std::span<const Ids> sources, const DecodingConfig& config,
                    const SearchInputs& given = {}, const SearchHooks& hooks = {});

}  // namespace gloss
