#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/special_ids.h"
#include "decoding/beam.h"
#include "decoding/candidates.h"
#include "decoding/phrases/phrase_progress.h"

namespace gloss {

/// A word of a translation without phrases, at the place of a phrase.
struct UsualWord {
  Ids ids;
  std::int64_t elsewhere = 0;  ///< how often it stands in that translation at other places
};

/// The live rows of a sentence at a step.
struct PlacementStep {
  std::span<const Beam::Row> rows;
  std::span<const PhraseProgress> progress;  ///< of each row
  std::span<const float> attention;          ///< [rows, S]; empty where no phrase knows its place
};

/// Adds to each continuation the penalty for where its phrases stand, and returns them, best log_probability - penalty
/// first, without eos where phrases are missing. A continuation is penalized
/// - in proportion to the attention that the step gives to source phrases whose phrase it does not continue: it
///   translates them by something else;
/// - where it completes a usual word once more than that word stands elsewhere;
/// - where it goes on although the model would end the sentence here: a phrase would stand after its end.
/// Penalties only rank; required tokens stay possible.
std::vector<Candidate> rank_by_placement(std::span<const Phrase> phrases, std::span<const UsualWord> usual,
                                         const PlacementStep& step, std::span<const Candidate> candidates);

}  // namespace gloss
