#pragma once

#include <span>
#include <vector>

#include "decoding/search.h"

namespace gloss {

/// Searches many sentences, pieces and eos each, batch by batch, the longest first: by sampling where that is enabled;
/// by greedy search where beam_size is 1, no coverage counts and the sentence has no phrases; else by beam search.
/// Sentences with phrases are searched apart from the others; where sampling is enabled there may be none. The
/// hypotheses of each sentence, best first, in the order of `sources`; none for an empty row. `given` is of `sources`:
/// throws UsageError where it is of another number of sentences, where a phrase has no piece or one that is not of a
/// text of the scorer's vocabulary, and where `continues_word` is not of that vocabulary.
std::vector<std::vector<Hypothesis>> batched_search(const Scorer& scorer, std::span<const Ids> sources,
                                                    const DecodingConfig& config, const PerSentence& given = {},
                                                    const SearchHooks& hooks = {});

}  // namespace gloss
