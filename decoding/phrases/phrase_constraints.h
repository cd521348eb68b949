#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "decoding/beam.h"
#include "decoding/constraints.h"
#include "decoding/phrases/phrase_placement.h"
#include "decoding/phrases/phrase_progress.h"
#include "decoding/search.h"

namespace gloss {

/// The phrases that the translations of a batch must contain, as beam search meets them: it looks at the next pieces of
/// each row's phrases beside the likeliest, ranks by where phrases stand (phrase_placement.h), allows no eos before all
/// are said, keeps only what leaves room for the rest, and shares the rows of a beam between banks (phrase_banks.h).
class PhraseConstraints {
 public:
  /// `limit`: tokens of a target at most. Of a sentence whose phrases have no room behind its prefix the last are left
  /// out. `usual` [B] are the usual words of each sentence, or empty. `given` must outlive the constraints.
  PhraseConstraints(const PerSentence& given, std::vector<std::vector<UsualWord>> usual, std::int64_t limit,
                    std::int64_t beam_size);

  bool none() const { return sentences_.empty(); }  ///< for no sentence
  /// How many of a sentence's phrases are left out.
  std::int64_t left_out(std::int64_t sentence) const { return sentences_[sentence].left_out; }

  /// The live rows of a sentence at most: beam_size, and one for each piece of its phrases, so that each bank may have
  /// one, up to kMostMoreRows.
  std::int64_t rows(std::int64_t sentence) const { return sentences_[sentence].rows; }
  static constexpr std::int64_t kMostMoreRows = 64;

  /// How far each live row of a beam has come: at first, and as they are when it has advanced from `before`.
  std::vector<PhraseProgress> start(std::int64_t sentence) const { return {sentences_[sentence].start}; }
  static std::vector<PhraseProgress> advance(std::span<const PhraseProgress> before, std::span<const Beam::Row> rows);

  /// `top` [rows] with the next pieces of each row's phrases too, of the step's `logits` [rows, V].
  TopTokens with_next(const TopTokens& top, const at::Tensor& logits, std::span<const Constraints::Row> rows) const;

  /// Whether choose needs the attention of a step.
  bool knows_places() const { return knows_places_; }
  /// Returns what a beam advances with, of all continuations of a sentence, best first.
  std::vector<Candidate> choose(std::int64_t sentence, const PlacementStep& step,
                                std::span<const Candidate> candidates) const;

 private:
  struct Sentence {
    PhraseProgress start;
    std::span<const Phrase> phrases;
    std::vector<UsualWord> usual;
    std::int64_t left_out, rows;
  };

  std::int64_t limit_, beam_size_;
  bool knows_places_ = false;
  std::vector<Sentence> sentences_;  ///< [B], or empty
};

}  // namespace gloss
