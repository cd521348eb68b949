#pragma once

#include <vector>

#include "decoding/phrase_placement.h"
#include "decoding/search.h"

namespace gloss {

/// Returns for each sentence the words that its phrases should replace: those that translate the sources of the phrases
/// if no phrase is required. A greedy translation without phrases goes through the scorer again, with attention; the
/// word with the most attention to a phrase's source is the one to be replaced. Words that are a part of the phrase are
/// left out. Empty if no phrase has a source range, or if the scorer has no attention. Calls hooks.before_step before
/// each step of both passes and before the second one, and no other hook.
std::vector<std::vector<ReplacedWord>> replaced_words(const Scorer& scorer, const PaddedIds& source,
                                                      const DecodingConfig& config, const SearchInputs& given,
                                                      const SearchHooks& hooks);

}  // namespace gloss
