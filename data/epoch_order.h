#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/random.h"
#include "data/epoch_stage.h"
#include "data/parallel_corpus.h"

namespace gloss {

/// Pairs of a corpus in batches. Memory: 4 bytes an occurrence.
class EpochOrder {
 public:
  /// Sorts all pairs by length and cuts them into batches of at most `batch_tokens` positions
  /// (data/length_batches.h). Time and memory grow linearly with the corpus.
  EpochOrder(const ParallelCorpus& corpus, std::int64_t batch_tokens);
  /// Orders an epoch of training. As above, but of `occurrences` (data/epoch_stage.h); pairs of equal lengths are
  /// shuffled, the size of the first batch and the rising lengths are random, and the batches are shuffled. A function
  /// of the stream, its update, the occurrences and the corpus.
  EpochOrder(const ParallelCorpus& corpus, std::vector<Occurrence> occurrences, std::int64_t batch_tokens,
             const RandomStream& random);

  std::int64_t batches() const { return std::ssize(begins_); }
  std::span<const Occurrence> batch(std::int64_t index) const;

 private:
  std::vector<Occurrence> occurrences_;
  std::vector<std::uint32_t> begins_;  ///< begin of each batch in occurrences_, in order of length
  std::vector<std::uint32_t> order_;   ///< shuffled indices of the batches; empty: in order of length
};

/// Returns the indices of the pairs of each batch for validation: the whole corpus once, shortest first.
std::vector<std::vector<std::int64_t>> batches_by_length(const ParallelCorpus& corpus, std::int64_t batch_tokens);

}  // namespace gloss
