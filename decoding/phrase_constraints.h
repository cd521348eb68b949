#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "decoding/beam.h"
#include "decoding/constraints.h"
#include "decoding/phrase_placement.h"
#include "decoding/phrase_progress.h"
#include "decoding/search.h"

namespace gloss {

/// Makes the translations of a batch contain their phrases. Beam search considers the next pieces of each row's phrases
/// besides the most likely tokens, ranks by where phrases stand (phrase_placement.h), bans eos while phrases are
/// missing, drops continuations after which the rest would exceed the limit, and shares the rows of a beam among banks
/// (phrase_banks.h).
class PhraseConstraints {
 public:
  /// `limits` [B]: maximum number of tokens of each target. If the phrases of a sentence do not fit after its prefix,
  /// the longest alternatives are left out, and then the last phrases. `replaced` [B] are the words that the phrases of
  /// each sentence should replace (replaced_words.h), or empty. `given` must outlive the constraints.
  PhraseConstraints(const SearchInputs& given, std::vector<std::vector<ReplacedWord>> replaced,
                    std::span<const std::int64_t> limits, std::int64_t beam_size);

  bool none() const { return sentences_.empty(); }  ///< no sentence has phrases
  /// Returns the number of a sentence's phrases of which no alternative is required.
  std::int64_t left_out(std::int64_t sentence) const { return sentences_[sentence].left_out; }

  /// Returns the maximum number of live rows of a sentence: beam_size, and one for each piece of its phrases, so that
  /// each bank may have one, up to kMaxExtraRows.
  std::int64_t rows(std::int64_t sentence) const { return sentences_[sentence].rows; }
  static constexpr std::int64_t kMaxExtraRows = 64;

  /// Returns the progress of each live row of a beam: at the start, and after it has advanced from `before`.
  std::vector<PhraseProgress> start(std::int64_t sentence) const { return {sentences_[sentence].start}; }
  static std::vector<PhraseProgress> advance(std::span<const PhraseProgress> before, std::span<const Beam::Row> rows);

  /// Returns `top` [rows] and the next pieces of each row's phrases, from the step's `logits` [rows, V].
  TopTokens with_next(const TopTokens& top, const at::Tensor& logits, std::span<const Constraints::Row> rows) const;

  /// Returns whether choose needs the attention of a step.
  bool needs_attention() const { return needs_attention_; }
  /// Selects the continuations of a sentence that its beam advances with, best first.
  std::vector<Candidate> choose(std::int64_t sentence, const PlacementStep& step,
                                std::span<const Candidate> candidates) const;

 private:
  struct Sentence {
    PhraseProgress start;
    std::vector<Phrase> phrases;
    std::vector<ReplacedWord> replaced;
    std::int64_t left_out, limit, rows;
  };

  std::int64_t beam_size_;
  bool needs_attention_ = false;
  std::vector<Sentence> sentences_;  ///< [B], or empty
};

}  // namespace gloss
