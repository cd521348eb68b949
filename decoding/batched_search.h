#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoding/search.h"

namespace gloss {

/// Searches many sentences (pieces and eos each) batch by batch, the longest first. Returns the hypotheses of each,
/// best first, in the order of `sources`; none for an empty row. The search is sampling if enabled; greedy if beam_size
/// is 1, there is no coverage penalty and the sentence has no phrases; otherwise beam search. Sentences with phrases
/// form batches of their own; sampling allows none.
///
/// With several `workers`, on the CPU, each computes a batch on one thread, and small inputs are cut into smaller
/// batches for them; a few sentences are one batch on all threads of the caller. Hooks are called by one thread at a
/// time, for several batches by turns; after an exception of a hook the other batches end before their next step.
/// Throws UsageError if `given` has another number of sentences, if a
/// phrase is empty or has an id that is not a piece of the scorer's vocabulary, and if `continues_word` has another
/// size.
std::vector<std::vector<Hypothesis>> batched_search(const Scorer& scorer, std::span<const Ids> sources,
                                                    const DecodingConfig& config, const PerSentence& given = {},
                                                    const SearchHooks& hooks = {}, std::int64_t workers = 1);

}  // namespace gloss
