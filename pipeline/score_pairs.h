#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decoding/forced_scores.h"
#include "pipeline/models/translation_ensemble.h"
#include "pipeline/text_pairs.h"

namespace gloss {

/// A translation as the model sees it.
struct ScoredPair {
  std::vector<std::string> pieces;  ///< of the target, "</s>" last; none where both sides have nothing in them
  ForcedScore forced;
  double score = 0;        ///< over the length penalty, as `translate --n-best` prints it without its other penalties
  bool truncated = false;  ///< the source was cut to what the model reads
};

/// What models together say of translations that are given. The text is cut into the tokenizer's own pieces: where a
/// search said the same text in others, its score is another.
class PairScorer {
 public:
  /// Of `decoding` the length penalty counts, and how many pairs are scored together.
  PairScorer(const TranslationEnsemble& models, const DecodingConfig& decoding,
             std::optional<WeightPrecision> precision = std::nullopt);

  /// Of each pair; `first` is the number of the first one's line in its texts, from 1. Throws DataError naming the line
  /// whose reference is longer than the models can say, and Stopped where a signal asks for an end.
  std::vector<ScoredPair> score(const TestSet& pairs, std::int64_t first = 1) const;

 private:
  Ids said(const std::string& reference, std::int64_t line) const;

  LineTranslator translator_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  DecodingConfig decoding_;
};

}  // namespace gloss
