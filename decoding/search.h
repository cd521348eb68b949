#pragma once

#include <vector>

#include "decoding/hypothesis.h"
#include "decoding/scorer.h"

namespace gloss {

/// The likeliest token at every step, until eos or the limit of length; eos itself not before min_length tokens. One
/// hypothesis a sentence, in the source's order.
std::vector<Hypothesis> greedy_search(const Scorer& scorer, const PaddedIds& source, const DecodingConfig& config);

/// Beam search. Every step looks at the best 2 * beam_size continuations of a sentence, of which only the first
/// beam_size may finish; Beam::done says when a sentence is. Ties go to the lower row, then the lower id. The n_best
/// hypotheses of each sentence, best score first; fewer where fewer have a probability.
std::vector<std::vector<Hypothesis>> beam_search(const Scorer& scorer, const PaddedIds& source,
                                                 const DecodingConfig& config);

}  // namespace gloss
