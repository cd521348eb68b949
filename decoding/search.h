#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "decoding/hypothesis.h"
#include "decoding/phrase.h"
#include "decoding/scorer.h"
#include "decoding/search_hooks.h"

namespace gloss {

/// Inputs of each sentence besides its source.
struct SearchInputs {
  std::vector<Ids> prefixes = {};                     ///< [B]: beginning of each target; empty: no token is forced
  std::vector<std::int64_t> input_indices = {};       ///< [B]: index in the whole input, for draws; empty: 0 to B - 1
  std::vector<std::vector<Phrase>> phrases = {};      ///< [B]: required phrases of each target; may be empty
  std::span<const std::uint8_t> continues_word = {};  ///< [V], if there are phrases: see PhraseProgress
  /// Number of first tokens of each prefix whose probability counts as 1: language tags.
  std::int64_t given_tokens = 0;
  std::optional<AttentionSite> site = {};  ///< greedy search keeps this attention (Hypothesis::attention)
};

/// Starts the state of a search, with the model's shortlist unless config.shortlist is off. Prefixes and phrases are
/// always allowed.
std::unique_ptr<Scorer::State> start_search(const Scorer& scorer, const PaddedIds& source, const DecodingConfig& config,
                                            const SearchInputs& given);

/// Runs greedy search: takes the most likely allowed token (constraints.h) at every step, until eos or the length
/// limit. Returns one hypothesis for each sentence, in order.
std::vector<Hypothesis> greedy_search(const Scorer& scorer, const PaddedIds& source, const DecodingConfig& config,
                                      const SearchInputs& given = {}, const SearchHooks& hooks = {});

/// Runs beam search. Every step considers the best 2 * beam_size continuations of a sentence, of which only the first
/// beam_size may finish. Sentences with phrases use the candidates that share_rows selects (phrase_banks.h). Beam::done
/// decides when a sentence ends. Ties go to the lower row, then to the lower id. Returns the n_best hypotheses of each
/// sentence, best score first, or fewer if fewer have a probability. Requests attention only for coverage_penalty and
/// for the places of phrases. Each translation contains all phrases of its sentence that fit into the length limit
/// (phrase_constraints.h); the other two searches ignore phrases. If phrases have a source range, a greedy search
/// without phrases and a pass with attention run first (replaced_words.h).
std::vector<std::vector<Hypothesis>> beam_search(const Scorer& scorer, const PaddedIds& source,
                                                 const DecodingConfig& config, const SearchInputs& given = {},
                                                 const SearchHooks& hooks = {});

/// Runs a search by sampling: draws n_best translations of each sentence, token by token (config.sampling, sampling.h),
/// best score first. Scores use the model's unmodified probabilities. Draw t of translation j is a function of the
/// seed, the sentence's input index, j and t; neighbors and batches have no effect.
std::vector<std::vector<Hypothesis>> sampling_search(const Scorer& scorer, const PaddedIds& source,
                                                     const DecodingConfig& config, const SearchInputs& given = {},
                                                     const SearchHooks& hooks = {});

}  // namespace gloss
