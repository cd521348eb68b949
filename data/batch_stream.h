#pragma once

#include <cstdint>
#include <vector>

#include "common/random.h"
#include "data/parallel_corpus.h"

namespace gloss {

/// The place in the stream of training batches: how many batches of which epoch were taken.
struct EpochPosition {
  std::int64_t epoch = 0;  ///< from 0
  std::int64_t batch = 0;  ///< from 0, within the epoch
  bool operator==(const EpochPosition&) const = default;
};

/// Training batches without end, epoch after epoch. The order of an epoch is a function of (seed, epoch) alone:
/// sentences are shuffled, sorted by max(source, target), then target length (stable, so that equals stay shuffled),
/// cut into batches of at most `batch_tokens` positions (max(source, target) times sentences, padding included; a
/// longer pair alone is a batch), and the batches are shuffled. A place can therefore be found again without anything
/// saved but EpochPosition.
class BatchStream {
 public:
  /// `corpus` must outlive the stream. Uses the stream "data" of `random`, at update = epoch. Throws DataError where
  /// the corpus is empty.
  BatchStream(const ParallelCorpus& corpus, std::int64_t batch_tokens, const RandomStream& random);

  /// The next batch; behind an epoch's last one, the first of the next epoch. Never ends.
  Batch next();
  /// Behind the batch taken last: at an epoch's end its number of batches, not yet the next epoch.
  EpochPosition position() const { return position_; }
  /// Goes on behind the batches that `position` counts. Throws ModelError where the epoch has fewer batches.
  void seek(EpochPosition position);
  std::int64_t batches_in_epoch() const;  ///< of the current epoch

 private:
  void order_epoch(std::int64_t epoch);  ///< and goes to its begin

  const ParallelCorpus* corpus_;
  std::int64_t batch_tokens_;
  RandomStream random_;
  EpochPosition position_;
  std::vector<std::vector<std::int64_t>> batches_;  ///< indices of the current epoch's sentences
};

/// The whole corpus once, sorted by length as above, for validation: indices of each batch, shortest first.
std::vector<std::vector<std::int64_t>> batches_by_length(const ParallelCorpus& corpus, std::int64_t batch_tokens);

}  // namespace gloss
