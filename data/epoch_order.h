#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/random.h"
#include "data/parallel_corpus.h"

namespace gloss {

/// All pairs of a corpus in batches; 4 bytes a pair.
class EpochOrder {
 public:
  /// In order of length: by max(source, target), and within one such length by source - target, falling and rising in
  /// turn, so that neighbors are alike on both sides. Cut into batches of at most `batch_tokens` positions
  /// (max(source, target) times sentences, padding included; a longer pair alone is a batch). A batch ends a little
  /// early where a new length would be a small part of it. Time and memory grow with the corpus alone.
  EpochOrder(const ParallelCorpus& corpus, std::int64_t batch_tokens);
  /// The same for an epoch of training: pairs of equal lengths are shuffled, chance decides where the first batch ends
  /// and which lengths are rising, and the batches are shuffled. A function of the stream, its update and the corpus.
  EpochOrder(const ParallelCorpus& corpus, std::int64_t batch_tokens, const RandomStream& random);

  std::int64_t batches() const { return std::ssize(begins_); }
  std::span<const std::uint32_t> batch(std::int64_t index) const;

 private:
  void sort(const ParallelCorpus& corpus, bool even_rise);
  void shuffle_equals(const ParallelCorpus& corpus, const RandomStream& random);
  void cut(const ParallelCorpus& corpus, std::int64_t batch_tokens, std::int64_t first_batch_tokens);

  std::vector<std::uint32_t> pairs_;
  std::vector<std::uint32_t> begins_;  ///< of the batches, in order of length
  std::vector<std::uint32_t> order_;   ///< of the batches; empty: as they are
};

/// The whole corpus once, in order of length, for validation: indices of each batch, shortest first.
std::vector<std::vector<std::int64_t>> batches_by_length(const ParallelCorpus& corpus, std::int64_t batch_tokens);

}  // namespace gloss
