#include "data/batch_stream.h"

#include <string>
#include <utility>
#include <vector>

#include "common/error.h"

namespace gloss {
namespace {

const ParallelCorpus* not_empty(const ParallelCorpus& corpus) {
  if (corpus.size() == 0) throw DataError("training corpus: wanted sentence pairs, got none");
  return &corpus;
}

}  // namespace

BatchStream::BatchStream(const ParallelCorpus& corpus, std::int64_t batch_tokens, const RandomStream& random,
                         std::optional<SubwordSampling> sampling)
    : corpus_(not_empty(corpus)),
      batch_tokens_(batch_tokens),
      random_(random.stream("data")),
      sampling_(std::move(sampling)),
      order_(corpus, batch_tokens, random_.at(0)) {}

Batch BatchStream::next() {
  if (position_.batch == batches_in_epoch()) order_epoch(position_.epoch + 1);
  const auto pairs = order_.batch(position_.batch++);
  auto batch = corpus_->batch(std::vector<std::int64_t>(pairs.begin(), pairs.end()));
  if (sampling_) draw_pieces(pairs, batch);
  return batch;
}

void BatchStream::seek(EpochPosition position) {
  if (position.epoch < 0 || position.batch < 0)
    throw ModelError("place in the training data: wanted an epoch and a batch from 0, got " +
                     std::to_string(position.epoch) + " and " + std::to_string(position.batch));
  if (position.epoch != position_.epoch) order_epoch(position.epoch);
  if (position.batch > batches_in_epoch())
    throw ModelError("place in the training data: wanted at most " + std::to_string(batches_in_epoch()) +
                     " batches in epoch " + std::to_string(position.epoch) + ", got " + std::to_string(position.batch));
  position_.batch = position.batch;
}

void BatchStream::order_epoch(std::int64_t epoch) {
  order_ = EpochOrder(*corpus_, batch_tokens_, random_.at(static_cast<std::uint32_t>(epoch)));
  position_ = {epoch, 0};
}

void BatchStream::draw_pieces(std::span<const std::uint32_t> pairs, Batch& batch) const {
  enum Side : std::uint32_t { kSource, kTarget };
  const auto draw = [&](const SubwordSampler& sampler, Side side, std::vector<Ids>& sentences) {
    const auto random = random_.stream("subwords").at(static_cast<std::uint32_t>(position_.epoch), side);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      auto drawn = sampler.sample(sentences[i], random, pairs[i]);
      if (sampling_->max_length == 0 || std::ssize(drawn) <= sampling_->max_length) sentences[i] = std::move(drawn);
    }
  };
  draw(*sampling_->source, kSource, batch.source);
  draw(*sampling_->target, kTarget, batch.target);
}

}  // namespace gloss
