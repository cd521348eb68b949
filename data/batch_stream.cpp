#include "data/batch_stream.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>
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
                         const RandomStream& random, std::optional<SubwordSampling> sampling,
                         std::shared_ptr<PairAugmenter> augmenter)
    : corpus_(not_empty(corpus)),
      stages_(std::move(stages)),
      positions_(expected_positions(stages_, corpus)),
      batch_tokens_(batch_tokens),
      random_(random.stream("data")),
      sampling_(std::move(sampling)),
      augmenter_(std::move(augmenter)),
      order_(ordered(0)) {}

BatchStream::BatchStream(const ParallelCorpus& corpus, std::int64_t batch_tokens, const RandomStream& random,
                         std::optional<SubwordSampling> sampling, std::shared_ptr<PairAugmenter> augmenter)
    : BatchStream(corpus, one_stage(corpus), batch_tokens, random, std::move(sampling), std::move(augmenter)) {}

Batch BatchStream::next() {
  if (position_.batch == batches_in_epoch()) order_epoch(position_.epoch + 1);
  draw_ahead(1);
  auto batch = std::move(ahead_.front());
  ahead_.pop_front();
  ++position_.batch;
  return batch;
}

void BatchStream::draw_ahead(std::int64_t count) {
  const auto last = std::min(position_.batch + count, batches_in_epoch());
  for (auto batch = position_.batch + std::ssize(ahead_); batch < last; ++batch) ahead_.push_back(draw(batch));
}

Batch BatchStream::draw(std::int64_t index) const {
  const auto occurrences = order_.batch(index);
  std::vector<std::int64_t> pairs;
  for (const auto occurrence : occurrences) pairs.push_back(pair_of(occurrence, *corpus_));
  auto batch = corpus_->batch(pairs);
  for (std::size_t i = 0; augmenter_ && i < occurrences.size(); ++i)
    if (augmenter_->augment(batch.source[i], batch.target[i], augmentations(position_.epoch), occurrences[i]) &&
        !batch.links.empty())
      batch.links[i] = {};  // they are links of other pieces
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
  return growth_ * positions_[stage_of(stages_, position_.epoch)] /
         expected_positions(one_stage(*corpus_), *corpus_).front();
}

void BatchStream::seek(EpochPosition position) {
  if (position.epoch < 0 || position.epoch > std::numeric_limits<std::uint32_t>::max() || position.batch < 0)
    throw ModelError("place in the training data: wanted an epoch from 0 to 2^32 - 1 and a batch from 0, got " +
                     std::to_string(position.epoch) + " and " + std::to_string(position.batch));
  if (position.epoch != position_.epoch) order_epoch(position.epoch);
  if (position.batch > batches_in_epoch())
    throw ModelError("place in the training data: wanted at most " + std::to_string(batches_in_epoch()) +
                     " batches in epoch " + std::to_string(position.epoch) + ", got " + std::to_string(position.batch));
  ahead_.clear();
  position_.batch = position.batch;
}

void BatchStream::order_epoch(std::int64_t epoch) {
  ahead_.clear();
  order_ = ordered(epoch);
  position_ = {epoch, 0};
}

EpochOrder BatchStream::ordered(std::int64_t epoch) {
  auto occurrences = occurrences_of(stages_[stage_of(stages_, epoch)], epoch, corpus_->size(), random_.at(0));
  const auto of_corpus = lengths_in(*corpus_);
  std::unordered_map<Occurrence, PairLengths> of_augmented;
  double grown = 0;
  for (const auto occurrence : occurrences) {
    if (!augmenter_ || !augmenter_->draws_change(augmentations(epoch), occurrence)) continue;
    auto pair = corpus_->batch(std::array{pair_of(occurrence, *corpus_)});
    auto &source = pair.source.front(), &target = pair.target.front();
    if (!augmenter_->augment(source, target, augmentations(epoch), occurrence)) continue;
    const PairLengths lengths{std::ssize(source), std::ssize(target)};
    grown += static_cast<double>(lengths.longer() - of_corpus(occurrence).longer());
    of_augmented[occurrence] = lengths;
  }
  growth_ = 1 + grown / positions_[stage_of(stages_, epoch)];
  const LengthsOf lengths_of = [&](Occurrence occurrence) {
    const auto found = of_augmented.find(occurrence);
    return found == of_augmented.end() ? of_corpus(occurrence) : found->second;
  };
  return {of_augmented.empty() ? of_corpus : lengths_of, std::move(occurrences), batch_tokens_,
          random_.at(static_cast<std::uint32_t>(epoch))};
}

RandomStream BatchStream::augmentations(std::int64_t epoch) const {
  return random_.stream("augmentation").at(static_cast<std::uint32_t>(epoch));
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
