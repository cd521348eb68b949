#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "common/random.h"
#include "common/special_ids.h"
#include "tokenizer/subword_sampling.h"

namespace gloss {

/// Samples other segmentations of sentences: by BPE-dropout for BPE models, by subword regularization for unigram
/// models. A sample depends on (stream, its update and micro-batch, sentence) only. Safe to share between threads.
class SubwordSampler {
 public:
  /// `tokenizer`: the bytes of a tokenizer (make_tokenizer.h). `amount`: the probability of skipping a merge (BPE), or
  /// alpha (unigram). Throws UsageError with the key data.subword_sampling for another kind of model, ModelError if it
  /// has pieces marked as unused.
  SubwordSampler(const std::string& tokenizer, double amount);

  /// Returns a sample for `ids`, a sentence encoded by the tokenizer, with or without eos.
  Ids sample(std::span<const Id> ids, const RandomStream& random, std::uint64_t sentence) const;

 private:
  std::variant<BpeDropout, UnigramSampling> segmentation_;
  double amount_;
};

}  // namespace gloss
