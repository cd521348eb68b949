#include "data/batch_stream.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "common/error.h"

namespace gloss {
namespace {

using Indices = std::vector<std::int64_t>;

std::int64_t positions(const ParallelCorpus& corpus, std::int64_t index) {
  return static_cast<std::int64_t>(std::max(corpus.source(index).size(), corpus.target(index).size()));
}

Indices all_indices(const ParallelCorpus& corpus) {
  Indices indices(static_cast<std::size_t>(corpus.size()));
  std::iota(indices.begin(), indices.end(), std::int64_t{0});
  return indices;
}

std::vector<Indices> cut_by_length(const ParallelCorpus& corpus, Indices indices, std::int64_t batch_tokens) {
  std::ranges::stable_sort(indices, {}, [&](std::int64_t index) {
    return std::pair(positions(corpus, index), corpus.target(index).size());
  });
  std::vector<Indices> batches;
  for (const auto index : indices) {
    // Sorted: the newest sentence is the longest of its batch.
    const bool fits = !batches.empty() && positions(corpus, index) * (std::ssize(batches.back()) + 1) <= batch_tokens;
    if (!fits) batches.emplace_back();
    batches.back().push_back(index);
  }
  return batches;
}

}  // namespace

BatchStream::BatchStream(const ParallelCorpus& corpus, std::int64_t batch_tokens, const RandomStream& random)
    : corpus_(&corpus), batch_tokens_(batch_tokens), random_(random.stream("data")) {
  if (corpus.size() == 0) throw DataError("training corpus: wanted sentence pairs, got none");
  order_epoch(0);
}

Batch BatchStream::next() {
  if (position_.batch == batches_in_epoch()) order_epoch(position_.epoch + 1);
  return corpus_->batch(batches_[static_cast<std::size_t>(position_.batch++)]);
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

std::int64_t BatchStream::batches_in_epoch() const { return std::ssize(batches_); }

void BatchStream::order_epoch(std::int64_t epoch) {
  const auto update = static_cast<std::uint32_t>(epoch);
  auto indices = all_indices(*corpus_);
  random_.at(update, 0).shuffle(std::span(indices));
  batches_ = cut_by_length(*corpus_, std::move(indices), batch_tokens_);
  random_.at(update, 1).shuffle(std::span(batches_));
  position_ = {epoch, 0};
}

std::vector<std::vector<std::int64_t>> batches_by_length(const ParallelCorpus& corpus, std::int64_t batch_tokens) {
  return cut_by_length(corpus, all_indices(corpus), batch_tokens);
}

}  // namespace gloss
