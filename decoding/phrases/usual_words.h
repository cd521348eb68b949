#pragma once

#include <vector>

#include "decoding/phrases/phrase_placement.h"
#include "decoding/search.h"

namespace gloss {

/// Returns for each sentence the words that translate the sources of its phrases if no phrase is required. A greedy
/// translation without phrases goes through the scorer again, with attention; the usual word of a phrase is the one
/// with the most attention to the phrase's source. Words that are a part of the phrase are left out. Empty if no phrase
/// has a known place, and if the scorer has no attention.
std::vector<std::vector<UsualWord>> usual_words(const Scorer& scorer, const PaddedIds& source,
                                                const DecodingConfig& config, const PerSentence& given,
                                                const SearchHooks& hooks);

}  // namespace gloss
