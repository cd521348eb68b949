#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/random.h"
#include "data/augmentation.h"
#include "data/epoch_stage.h"
#include "data/parallel_corpus.h"
#include "tokenizer/subword_sampling.h"

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

/// A number of epochs in a row, and the batches of each.
struct EpochsOfStage {
  std::int64_t epochs = 0, batches = 0;
};

/// An endless stream of training batches, epoch after epoch. The pairs of an epoch (data/epoch_stage.h) and their order
/// (data/epoch_stage.h) are a function of (stages, seed, epoch) alone; augmented texts and sampled pieces are a
/// function of (seed, epoch, pair, copy of the pair). EpochPosition is therefore all that is needed to resume.
class BatchStream {
 public:
  /// `corpus` must outlive the stream. Uses the stream "data" of `random`, at update = epoch. Each epoch of `stages`
  /// has at least one pair; the first stage begins with epoch 0. `augmenter` (null: none) changes pairs before
  /// `sampling`; batches are formed by the lengths of the changed pairs. Throws DataError if the corpus is empty.
  BatchStream(const ParallelCorpus& corpus, std::vector<EpochStage> stages, std::int64_t batch_tokens,
              const RandomStream& random, std::optional<SubwordSampling> sampling = std::nullopt,
              std::shared_ptr<PairAugmenter> augmenter = nullptr);
  /// Streams the pairs of one_stage().
  BatchStream(const ParallelCorpus& corpus, std::int64_t batch_tokens, const RandomStream& random,
              std::optional<SubwordSampling> sampling = std::nullopt,
              std::shared_ptr<PairAugmenter> augmenter = nullptr);

  /// Returns the next batch. After the last batch of an epoch, returns the first of the next epoch.
  Batch next();
  /// Draws up to `count` batches of this epoch that follow, for `next` to return. No position changes.
  void draw_ahead(std::int64_t count);
  /// Returns the batches that were drawn ahead.
  const std::deque<Batch>& ahead() const { return ahead_; }
  /// Returns the position after the batch taken last. At the end of an epoch this is still that epoch, with its number
  /// of batches.
  EpochPosition position() const { return position_; }
  /// Continues after the batches that `position` counts. Throws ModelError if the epoch has fewer batches, or is not
  /// below 2^32.
  void seek(EpochPosition position);
  std::int64_t batches_in_epoch() const { return order_.batches(); }  ///< of the current epoch
  /// Estimates the batches of the epochs from `begin` to before `end`, stage by stage. The estimate is the current
  /// epoch's number of batches, times the expected positions of the stage over those of the current one.
  std::vector<EpochsOfStage> expected_epochs(std::int64_t begin, std::int64_t end) const;
  /// Returns the expected positions of an epoch of the current stage over those of the whole corpus, not augmented.
  double share_of_corpus() const;

 private:
  void order_epoch(std::int64_t epoch);  ///< and moves to its beginning
  Batch draw(std::int64_t index) const;
  EpochOrder ordered(std::int64_t epoch);
  RandomStream augmentations(std::int64_t epoch) const;
  void draw_pieces(std::span<const Occurrence> occurrences, Batch& batch) const;

  const ParallelCorpus* corpus_;
  std::vector<EpochStage> stages_;
  std::vector<double> positions_;  ///< expected_positions() of each stage
  std::int64_t batch_tokens_;
  RandomStream random_;
  std::optional<SubwordSampling> sampling_;
  std::shared_ptr<PairAugmenter> augmenter_;
  EpochPosition position_;
  std::deque<Batch> ahead_;  ///< the next batches
  double growth_ = 1;        ///< of the positions of the current epoch, by augmentation
  EpochOrder order_;
};

}  // namespace gloss
