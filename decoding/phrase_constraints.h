#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "decoding/beam.h"
#include "decoding/constraints.h"
#include "decoding/phrase_progress.h"
#include "decoding/search.h"

namespace gloss {

/// The phrases that the translations of a batch must contain, as beam search meets them: it looks at the next pieces of
/// each row's phrases beside the likeliest, allows no eos before all are said (Constraints), keeps only what leaves
/// room for the rest, and shares the rows of a beam between banks (phrase_banks.h).
class PhraseConstraints {
 public:
  /// `limit`: tokens of a target at most. Of a sentence whose phrases have no room behind its prefix the last are left
  /// out. `given` must outlive the constraints.
  PhraseConstraints(const PerSentence& given, std::int64_t limit);

  bool none() const { return phrases_.empty(); }  ///< for no sentence
  /// Of a sentence after what was said of it.
  PhraseProgress after(std::int64_t sentence, const Ids& said) const { return say(phrases_[sentence], said); }

  /// The live rows of a sentence at most: beam_size, and one for each piece of its phrases, so that each bank may have
  /// one, up to kMostMoreRows.
  std::int64_t rows(std::int64_t sentence, std::int64_t beam_size) const;
  static constexpr std::int64_t kMostMoreRows = 64;

  /// `top` [rows] with the next pieces of each row's phrases too, of the step's `logits` [rows, V].
  TopTokens with_next(const TopTokens& top, const at::Tensor& logits, std::span<const Constraints::Row> rows) const;

  /// What a beam whose live rows are `rows` advances with, of all continuations of a sentence, best first.
  std::vector<Candidate> choose(std::int64_t sentence, std::span<const Beam::Row> rows,
                                std::span<const Candidate> candidates, std::int64_t beam_size) const;

 private:
  PhraseProgress say(std::span<const Phrase> phrases, const Ids& said) const;

  std::int64_t limit_;
  std::span<const std::uint8_t> goes_on_;
  std::vector<std::span<const Phrase>> phrases_;  ///< [B], or empty
};

}  // namespace gloss
