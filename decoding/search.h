#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoding/hypothesis.h"
#include "decoding/phrases/phrase_progress.h"
#include "decoding/scorer.h"
#include "decoding/search_hooks.h"

namespace gloss {

/// What is told of each sentence beside its source.
struct PerSentence {
  std::vector<Ids> prefixes = {};                 ///< [B]: what each target begins with; empty: nothing is forced
  std::vector<std::int64_t> numbers = {};         ///< [B]: of each in the whole input, for its draws; empty: 0 to B - 1
  std::vector<std::vector<Phrase>> phrases = {};  ///< [B]: what each target must contain; empty: nothing
  std::span<const std::uint8_t> continues_word = {};  ///< [V], where there are phrases: as PhraseProgress takes it
};

/// The likeliest token at every step that is not banned (constraints.h), until eos or the limit of length. One
/// hypothesis a sentence, in the source's order.
std::vector<Hypothesis> greedy_search(const Scorer& scorer, const PaddedIds& source, const DecodingConfig& config,
                                      const PerSentence& given = {}, const SearchHooks& hooks = {});

/// Beam search. Every step looks at the best 2 * beam_size continuations of a sentence, of which only the first
/// beam_size may finish, or, of one with phrases, at those that share_rows chooses (phrase_banks.h); Beam::done says
/// when a sentence is. Ties go to the lower row, then the lower id. The n_best
/// hypotheses of each sentence, best score first; fewer where fewer have a probability. Asks for the attention only
/// where coverage_penalty wants it. Where there are phrases, each translation contains all of its sentence's for which
/// the limit of length has room (phrase_constraints.h); the other two searches know no phrases.
std::vector<std::vector<Hypothesis>> beam_search(const Scorer& scorer, const PaddedIds& source,
                                                 const DecodingConfig& config, const PerSentence& given = {},
                                                 const SearchHooks& hooks = {});

/// Draws n_best translations of each sentence, token by token, as config.sampling says (sampling.h); best score first.
/// Scores are of the model's own probabilities. Draw t of translation j is a function of the seed, the sentence's
/// number, j and t: not of its neighbors, nor of the batch.
std::vector<std::vector<Hypothesis>> sampling_search(const Scorer& scorer, const PaddedIds& source,
                                                     const DecodingConfig& config, const PerSentence& given = {},
                                                     const SearchHooks& hooks = {});

}  // namespace gloss
