#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "common/random.h"
#include "data/epoch_order.h"
#include "data/parallel_corpus.h"
#include "tokenizer/subword_sampler.h"

namespace gloss {

/// The place in the stream of training batches: how many batches of which epoch were taken.
struct EpochPosition {
  std::int64_t epoch = 0;  ///< from 0
  std::int64_t batch = 0;  ///< from 0, within the epoch
  bool operator==(const EpochPosition&) const = default;
};

/// What draws other pieces for each sentence in each epoch. Batches are formed by the lengths of the best pieces, so
/// that they may become larger than they were to be; a drawn sentence of more than `max_length` pieces and eos (0: no
/// limit) keeps its best ones.
struct SubwordSampling {
  std::shared_ptr<const SubwordSampler> source, target;
  std::int64_t max_length = 0;
};

/// Training batches without end, epoch after epoch. The order of an epoch (data/epoch_order.h) is a function of (seed,
/// epoch) alone, and drawn pieces are one of (seed, epoch, pair). A place can therefore be found again without anything
/// saved but EpochPosition.
class BatchStream {
 public:
  /// `corpus` must outlive the stream. Uses the stream "data" of `random`, at update = epoch. Throws DataError where
  /// the corpus is empty.
  BatchStream(const ParallelCorpus& corpus, std::int64_t batch_tokens, const RandomStream& random,
              std::optional<SubwordSampling> sampling = std::nullopt);

  /// The next batch; behind an epoch's last one, the first of the next epoch. Never ends.
  Batch next();
  /// Behind the batch taken last: at an epoch's end its number of batches, not yet the next epoch.
  EpochPosition position() const { return position_; }
  /// Goes on behind the batches that `position` counts. Throws ModelError where the epoch has fewer batches.
  void seek(EpochPosition position);
  std::int64_t batches_in_epoch() const { return order_.batches(); }  ///< of the current epoch

 private:
  void order_epoch(std::int64_t epoch);  ///< and goes to its begin
  void draw_pieces(std::span<const std::uint32_t> pairs, Batch& batch) const;

  const ParallelCorpus* corpus_;
  std::int64_t batch_tokens_;
  RandomStream random_;
  std::optional<SubwordSampling> sampling_;
  EpochPosition position_;
  EpochOrder order_;
};

}  // namespace gloss
