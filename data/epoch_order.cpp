#include "data/epoch_order.h"

#include <numeric>
#include <utility>

#include "data/length_batches.h"

namespace gloss {
namespace {

// The substreams of the random draws of an epoch.
enum Draw : std::uint32_t { kEquals, kBatches, kBegin };

// Returns the lengths of the pairs of occurrences.
LengthsOf lengths_in(const ParallelCorpus& corpus) {
  return [&corpus](Occurrence i) {
    const auto pair = pair_of(i, corpus);
    return PairLengths{corpus.source_length(pair), corpus.target_length(pair)};
  };
}

// Shuffles neighbors of equal lengths.
void shuffle_equals(std::vector<Occurrence>& occurrences, const LengthsOf& lengths_of, const RandomStream& random) {
  for (std::size_t begin = 0, end = 0; begin < occurrences.size(); begin = end) {
    const auto equal = lengths_of(occurrences[begin]);
    for (end = begin + 1; end < occurrences.size() && lengths_of(occurrences[end]) == equal;) ++end;
    for (std::size_t last = end - 1; last > begin; --last)
      std::swap(occurrences[last], occurrences[begin + random.below(last - begin + 1, last)]);
  }
}

}  // namespace

EpochOrder::EpochOrder(const ParallelCorpus& corpus, std::int64_t batch_tokens)
    : occurrences_(static_cast<std::size_t>(corpus.size())) {
  std::iota(occurrences_.begin(), occurrences_.end(), 0u);
  const auto lengths_of = lengths_in(corpus);
  sort_by_length(occurrences_, lengths_of, /*even_rise=*/true);
  begins_ = cut_by_length(occurrences_, lengths_of, batch_tokens, batch_tokens);
}

EpochOrder::EpochOrder(const ParallelCorpus& corpus, std::vector<Occurrence> occurrences, std::int64_t batch_tokens,
                       const RandomStream& random)
    : occurrences_(std::move(occurrences)) {
  const auto lengths_of = lengths_in(corpus);
  const auto begin = random.at(random.update(), kBegin);
  sort_by_length(occurrences_, lengths_of, /*even_rise=*/begin.bits(0) % 2 == 0);
  shuffle_equals(occurrences_, lengths_of, random.at(random.update(), kEquals));
  const auto first = static_cast<std::int64_t>(begin.uniform(1) * static_cast<double>(batch_tokens)) + 1;
  begins_ = cut_by_length(occurrences_, lengths_of, batch_tokens, first);
  order_.resize(begins_.size());
  std::iota(order_.begin(), order_.end(), 0u);
  random.at(random.update(), kBatches).shuffle(std::span(order_));
}

std::span<const Occurrence> EpochOrder::batch(std::int64_t index) const {
  const auto number = order_.empty() ? static_cast<std::size_t>(index) : order_[static_cast<std::size_t>(index)];
  const auto end = number + 1 < begins_.size() ? begins_[number + 1] : occurrences_.size();
  return std::span(occurrences_).subspan(begins_[number], end - begins_[number]);
}

std::vector<std::vector<std::int64_t>> batches_by_length(const ParallelCorpus& corpus, std::int64_t batch_tokens) {
  const EpochOrder order(corpus, batch_tokens);
  std::vector<std::vector<std::int64_t>> batches;
  for (std::int64_t i = 0; i < order.batches(); ++i) {
    const auto batch = order.batch(i);
    batches.emplace_back(batch.begin(), batch.end());
  }
  return batches;
}

}  // namespace gloss
