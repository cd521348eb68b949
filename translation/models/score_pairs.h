#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/files/text_pairs.h"
#include "decoding/forced_scores.h"
#include "translation/models/translation_ensemble.h"

namespace gloss {

/// Score of a given translation.
struct ScoredPair {
  std::vector<std::string> pieces;  ///< of the target, "</s>" last, without a language tag; empty if both sides are
  ForcedScore forced;               ///< of these pieces
  double score = 0;        ///< after the length penalty, as `translate --n-best` prints it without other penalties
  bool truncated = false;  ///< the source was cut to the model's maximum length
};

/// Scores given translations by one or more models. The tokenizer encodes the text; a search that found the same text
/// in other pieces has another score for it.
class PairScorer {
 public:
  /// Uses the length penalty and the batch size of `decoding`.
  PairScorer(const TranslationEnsemble& models, const DecodingConfig& decoding,
             std::optional<WeightPrecision> precision = std::nullopt, bool plain = false);

  /// Scores each pair; `first` is the line number of the first pair, from 1. Throws DataError naming the line whose
  /// reference is longer than the models' limit, and Stopped after a signal.
  std::vector<ScoredPair> score(const LinePairs& pairs, std::int64_t first = 1) const;

 private:
  Ids target_ids(const std::string& reference, std::int64_t line) const;

  LineTranslator translator_;
  DecodingConfig decoding_;
};

}  // namespace gloss
