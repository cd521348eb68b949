#include "data/batch_stream.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "common/error.h"

namespace gloss {
namespace {

const ParallelCorpus* not_empty(const ParallelCorpus& corpus) {
  if (corpus.size() == 0) throw DataError("training corpus: wanted sentence pairs, got none");
  return &corpus;
}

}  // namespace

BatchStream::BatchStream(const ParallelCorpus& corpus, std::vector<EpochStage> stages, std::int64_t batch_tokens,
                         const RandomStream& random, std::optional<SubwordSampling> sampling)
    : corpus_(not_empty(corpus)),
      stages_(std::move(stages)),
      positions_(expected_positions(stages_, corpus)),
      batch_tokens_(batch_tokens),
      random_(random.stream("data")),
      sampling_(std::move(sampling)),
      order_(ordered(0)) {}

BatchStream::BatchStream(const ParallelCorpus& corpus, std::int64_t batch_tokens, const RandomStream& random,
                         std::optional<SubwordSampling> sampling)
    : BatchStream(corpus, one_stage(corpus), batch_tokens, random, std::move(sampling)) {}

Batch BatchStream::next() {
  if (position_.batch == batches_in_epoch()) order_epoch(position_.epoch + 1);
  const auto occurrences = order_.batch(position_.batch++);
  std::vector<std::int64_t> pairs;
  for (const auto occurrence : occurrences) pairs.push_back(pair_of(occurrence, *corpus_));
  auto batch = corpus_->batch(pairs);
  if (sampling_) draw_pieces(occurrences, batch);
  return batch;
}

std::vector<EpochsOfStage> BatchStream::expected_epochs(std::int64_t begin, std::int64_t end) const {
  const auto here = stage_of(stages_, position_.epoch);
  std::vector<EpochsOfStage> expected;
  for (auto stage = stage_of(stages_, begin); begin < end; ++stage) {
    const auto next = stage + 1 < stages_.size() ? std::min(stages_[stage + 1].first_epoch, end) : end;
    const auto batches = static_cast<double>(batches_in_epoch()) * positions_[stage] / positions_[here];
    expected.push_back({next - begin, stage == here ? batches_in_epoch() : std::max(std::llround(batches), 1LL)});
    begin = next;
  }
  return expected;
}

double BatchStream::share_of_corpus() const {
  return positions_[stage_of(stages_, position_.epoch)] / expected_positions(one_stage(*corpus_), *corpus_).front();
}

void BatchStream::seek(EpochPosition position) {
  if (position.epoch < 0 || position.epoch > std::numeric_limits<std::uint32_t>::max() || position.batch < 0)
    throw ModelError("place in the training data: wanted an epoch from 0 to 2^32 - 1 and a batch from 0, got " +
                     std::to_string(position.epoch) + " and " + std::to_string(position.batch));
  if (position.epoch != position_.epoch) order_epoch(position.epoch);
  if (position.batch > batches_in_epoch())
    throw ModelError("place in the training data: wanted at most " + std::to_string(batches_in_epoch()) +
                     " batches in epoch " + std::to_string(position.epoch) + ", got " + std::to_string(position.batch));
  position_.batch = position.batch;
}

void BatchStream::order_epoch(std::int64_t epoch) {
  order_ = ordered(epoch);
  position_ = {epoch, 0};
}

EpochOrder BatchStream::ordered(std::int64_t epoch) const {
  return {*corpus_, occurrences_of(stages_[stage_of(stages_, epoch)], epoch, corpus_->size(), random_.at(0)),
          batch_tokens_, random_.at(static_cast<std::uint32_t>(epoch))};
}

void BatchStream::draw_pieces(std::span<const Occurrence> occurrences, Batch& batch) const {
  enum Side : std::uint32_t { kSource, kTarget };
  const auto draw = [&](const SubwordSampler& sampler, Side side, std::vector<Ids>& sentences) {
    const auto random = random_.stream("subwords").at(static_cast<std::uint32_t>(position_.epoch), side);
    for (std::size_t i = 0; i < occurrences.size(); ++i) {
      auto drawn = sampler.sample(sentences[i], random, occurrences[i]);
      if (sampling_->max_length == 0 || std::ssize(drawn) <= sampling_->max_length) sentences[i] = std::move(drawn);
    }
  };
  draw(*sampling_->source, kSource, batch.source);
  draw(*sampling_->target, kTarget, batch.target);
}

}  // namespace gloss
