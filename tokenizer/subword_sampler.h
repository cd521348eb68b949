#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "common/random.h"
#include "common/special_ids.h"
#include "tokenizer/bpe_dropout.h"
#include "tokenizer/unigram_sampling.h"

namespace gloss {

/// Cuts sentences into other pieces than the best ones, at random: by BPE-dropout where the tokenizer is a BPE model,
/// by sampling where it is a unigram model. A draw is a function of (stream, its update and micro-batch, sentence)
/// alone. Safe to share between threads.
class SubwordSampler {
 public:
  /// `model`: the bytes of a SentencePiece model. `amount`: BPE's share of merges left out, or the unigram model's
  /// alpha. Throws UsageError naming data.subword_sampling where the model is of another kind, ModelError where it has
  /// pieces marked as unused.
  SubwordSampler(std::string_view model, double amount);

  /// `ids`: a sentence as the tokenizer encodes it; with or without eos.
  Ids sample(std::span<const Id> ids, const RandomStream& random, std::uint64_t sentence) const;

 private:
  std::variant<BpeDropout, UnigramSampling> segmentation_;
  double amount_;
};

}  // namespace gloss
