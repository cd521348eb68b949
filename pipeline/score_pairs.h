#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decoding/forced_scores.h"
#include "pipeline/evaluate.h"
#include "pipeline/translation_ensemble.h"

namespace gloss {

/// A translation as the model sees it.
struct ScoredPair {
  std::vector<std::string> pieces;  ///< of the target, "</s>" last
  ForcedScore forced;
  double score = 0;        ///< over the length penalty, as `translate --n-best` prints it
  bool truncated = false;  ///< the source was cut to what the model reads
};

/// What the models together say of each translation of `test` (its references), `decoding.batch_size` together. The
/// text is cut into the tokenizer's own pieces: where a search said the same text in others, its score is another.
/// Throws as forced_scores, and Stopped where a signal asks for an end.
std::vector<ScoredPair> score_pairs(const TranslationEnsemble& models, const TestSet& test,
                                    const DecodingConfig& decoding,
                                    std::optional<WeightPrecision> precision = std::nullopt);

}  // namespace gloss
