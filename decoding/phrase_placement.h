#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/special_ids.h"
#include "decoding/beam.h"
#include "decoding/candidates.h"
#include "decoding/phrase_progress.h"

namespace gloss {

/// A word that phrases should replace: it stands at their place in a translation without phrases.
struct ReplacedWord {
  Ids ids;
  std::int64_t elsewhere = 0;  ///< number of occurrences in that translation at other places
};

/// The live rows of a sentence at a step.
struct PlacementStep {
  const Beam& beam;
  std::span<const PhraseProgress> progress;  ///< of each row
  std::span<const float> attention;          ///< [rows, S]; empty if the place of no phrase is known
};

/// Adds to each continuation the penalty for the places of its phrases. Returns them by log_probability - penalty, best
/// first, without eos if phrases are missing. A continuation is penalized
/// - in proportion to the step's attention to source phrases that it translates in another way than required;
/// - if it completes a replaced word more often than that word occurs elsewhere;
/// - if it continues although the model would end the sentence: a phrase would follow the end.
/// Penalties only change the rank; required tokens stay possible.
std::vector<Candidate> rank_by_placement(std::span<const Phrase> phrases, std::span<const ReplacedWord> replaced,
                                         const PlacementStep& step, std::span<const Candidate> candidates);

/// Returns the number of occurrences of `word`, which is not empty, in `ids`, without overlaps.
std::int64_t count_occurrences(const Ids& ids, const Ids& word);

}  // namespace gloss
