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

/// The position in the stream of training batches: the epoch and the number of its batches that were taken.
struct EpochPosition {
  std::int64_t epoch = 0;  ///< from 0
  std::int64_t batch = 0;  ///< from 0, within the epoch
  bool operator==(const EpochPosition&) const = default;
};

/// Subword sampling: draws other pieces for each sentence in each epoch. Batches are formed by the lengths of the best
/// segmentations, so that sampled batches may exceed data.batch_tokens. A sentence whose drawn ids exceed `max_length`
/// (0: no limit) keeps its best segmentation.
struct SubwordSampling {
  std::shared_ptr<const SubwordSampler> source, target;
  std::int64_t max_length = 0;
};

/// An endless stream of training batches, epoch after epoch. The order of an epoch (data/epoch_order.h) is a function
/// of (seed, epoch) alone; sampled pieces are a function of (seed, epoch, pair). EpochPosition is therefore all that is
/// needed to resume.
class BatchStream {
 public:
  /// `corpus` must outlive the stream. Uses the stream "data" of `random`, at update = epoch. Throws DataError if the
  /// corpus is empty.
  BatchStream(const ParallelCorpus& corpus, std::int64_t batch_tokens, const RandomStream& random,
              std::optional<SubwordSampling> sampling = std::nullopt);

  /// Returns the next batch; after the last batch of an epoch, the first of the next epoch.
  Batch next();
  /// Returns the position after the batch taken last. At the end of an epoch this is still that epoch, with its number
  /// of batches.
  EpochPosition position() const { return position_; }
  /// Continues after the batches that `position` counts. Throws ModelError if the epoch has fewer batches.
  void seek(EpochPosition position);
  std::int64_t batches_in_epoch() const { return order_.batches(); }  ///< of the current epoch

 private:
  void order_epoch(std::int64_t epoch);  ///< and moves to its beginning
  void draw_pieces(std::span<const std::uint32_t> pairs, Batch& batch) const;

  const ParallelCorpus* corpus_;
  std::int64_t batch_tokens_;
  RandomStream random_;
  std::optional<SubwordSampling> sampling_;
  EpochPosition position_;
  EpochOrder order_;
};

}  // namespace gloss
