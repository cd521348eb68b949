#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/random.h"
#include "data/batch.h"
#include "data/data_config.h"
#include "data/parallel_corpus.h"

namespace gloss {

/// The pairs of a text and how often an epoch has each of them.
///
/// An epoch e (from 0) has each pair floor(weight) times. With the fractional part f of the weight and n pairs, it also
/// has the pairs at the places floor(e f n) to floor((e + 1) f n) - 1, modulo n, of a random permutation. The
/// permutation is the same in all epochs, so that every pair is used equally often.
struct WeightedRange {
  std::int64_t begin = 0, end = 0;     ///< pairs of the corpus
  std::int64_t weight = kWeightOfOne;  ///< in billionths, so that places are computed exactly

  static constexpr std::int64_t kWeightOfOne = 1'000'000'000;

  std::int64_t pairs() const { return end - begin; }
  /// Returns the number of copies of a pair that an epoch may have.
  std::int64_t max_copies() const { return (weight + kWeightOfOne - 1) / kWeightOfOne; }
};

/// A stage of training: what its epochs consist of.
struct EpochStage {
  std::int64_t first_epoch = 0;
  std::vector<WeightedRange> texts;
};

/// Returns one stage that has every pair of the corpus once.
std::vector<EpochStage> one_stage(const ParallelCorpus& corpus);
/// Returns the stages of a run file for the corpus of its texts (DataConfig::training_texts). Throws UsageError with
/// the key of a weight if an epoch of a stage could be without a pair, or if it could have 2^32 pairs.
std::vector<EpochStage> epoch_stages(const DataConfig& config, const ParallelCorpus& corpus);

/// Returns the index of the stage that has the epoch. Stages are in order, and the first begins with epoch 0.
std::size_t stage_of(std::span<const EpochStage> stages, std::int64_t epoch);

/// An occurrence of a pair in an epoch: pair + copy * the number of pairs of the corpus.
using Occurrence = std::uint32_t;
inline std::int64_t pair_of(Occurrence occurrence, const ParallelCorpus& corpus) {
  const std::int64_t pair = occurrence;
  return pair < corpus.size() ? pair : pair % corpus.size();
}

/// Returns the lengths of the pairs of occurrences. `corpus` must outlive the result.
LengthsOf lengths_in(const ParallelCorpus& corpus);

/// Returns the occurrences of an epoch, text by text. They are a function of the stage, the epoch and the seed and
/// stream of `random`. Memory: 4 bytes an occurrence.
std::vector<Occurrence> occurrences_of(const EpochStage& stage, std::int64_t epoch, std::int64_t pairs_of_corpus,
                                       const RandomStream& random);

/// Returns the expected number of positions of an epoch of each stage: the longer side of each pair, times its weight.
std::vector<double> expected_positions(std::span<const EpochStage> stages, const ParallelCorpus& corpus);

/// The pairs of an epoch of training in batches. Memory: 4 bytes an occurrence.
class EpochOrder {
 public:
  /// Sorts `occurrences` by length and cuts them into batches of at most `batch_tokens` positions
  /// (data/batch.h). Pairs of equal lengths are shuffled, the size of the first batch and the rising lengths
  /// are random, and the batches are shuffled. A function of the stream, its update, the occurrences and their lengths.
  /// Time and memory grow linearly with the occurrences.
  EpochOrder(const LengthsOf& lengths_of, std::vector<Occurrence> occurrences, std::int64_t batch_tokens,
             const RandomStream& random);

  std::int64_t batches() const { return std::ssize(begins_); }
  std::span<const Occurrence> batch(std::int64_t index) const;

 private:
  std::vector<Occurrence> occurrences_;
  std::vector<std::uint32_t> begins_;  ///< begin of each batch in occurrences_, in order of length
  std::vector<std::uint32_t> order_;   ///< shuffled indices of the batches
};

/// Returns the indices of the pairs of each batch for validation: the whole corpus once, shortest first.
std::vector<std::vector<std::int64_t>> batches_by_length(const ParallelCorpus& corpus, std::int64_t batch_tokens);

}  // namespace gloss
