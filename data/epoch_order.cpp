#include "data/epoch_order.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gloss {
namespace {

// Pairs of a new length that would be at most a fifth of the batch begin the next one.
constexpr std::int64_t kSmallShare = 5;

// The substreams of the random draws of an epoch.
enum Draw : std::uint32_t { kEquals, kBatches, kBegin };

using Indices = std::vector<std::uint32_t>;

// Returns the begin of each key's entries in sorted order, for keys from 0 to `max_key`, and the end.
template <typename Key>
Indices begins_of(const std::vector<Occurrence>& occurrences, std::int64_t max_key, Key key) {
  Indices begins(static_cast<std::size_t>(max_key) + 2);
  for (const auto i : occurrences) ++begins[static_cast<std::size_t>(key(i)) + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  return begins;
}

}  // namespace

/// Lengths of the pairs of occurrences.
class EpochOrder::Lengths {
 public:
  explicit Lengths(const ParallelCorpus& corpus) : corpus_(&corpus) {}

  std::int64_t source(Occurrence i) const { return corpus_->source_length(pair_of(i, *corpus_)); }
  std::int64_t target(Occurrence i) const { return corpus_->target_length(pair_of(i, *corpus_)); }
  std::int64_t positions(Occurrence i) const {
    const auto pair = pair_of(i, *corpus_);
    return std::max(corpus_->source_length(pair), corpus_->target_length(pair));
  }
  std::int64_t difference(Occurrence i) const { return source(i) - target(i); }

 private:
  const ParallelCorpus* corpus_;
};

EpochOrder::EpochOrder(const ParallelCorpus& corpus, std::int64_t batch_tokens)
    : occurrences_(static_cast<std::size_t>(corpus.size())) {
  std::iota(occurrences_.begin(), occurrences_.end(), 0u);
  const Lengths lengths(corpus);
  sort(lengths, /*even_rise=*/true);
  cut(lengths, batch_tokens, batch_tokens);
}

EpochOrder::EpochOrder(const ParallelCorpus& corpus, std::vector<Occurrence> occurrences, std::int64_t batch_tokens,
                       const RandomStream& random)
    : occurrences_(std::move(occurrences)) {
  const Lengths lengths(corpus);
  const auto begin = random.at(random.update(), kBegin);
  sort(lengths, /*even_rise=*/begin.bits(0) % 2 == 0);
  shuffle_equals(lengths, random.at(random.update(), kEquals));
  cut(lengths, batch_tokens, static_cast<std::int64_t>(begin.uniform(1) * static_cast<double>(batch_tokens)) + 1);
  order_.resize(begins_.size());
  std::iota(order_.begin(), order_.end(), 0u);
  random.at(random.update(), kBatches).shuffle(std::span(order_));
}

std::span<const Occurrence> EpochOrder::batch(std::int64_t index) const {
  const auto number = order_.empty() ? static_cast<std::size_t>(index) : order_[static_cast<std::size_t>(index)];
  const auto end = number + 1 < begins_.size() ? begins_[number + 1] : occurrences_.size();
  return std::span(occurrences_).subspan(begins_[number], end - begins_[number]);
}

// Sorts by two counting sorts: first by difference, then stably by length.
void EpochOrder::sort(const Lengths& lengths, bool even_rise) {
  std::int64_t max_length = 0;
  for (const auto i : occurrences_) max_length = std::max(max_length, lengths.positions(i));
  Indices by_difference(occurrences_.size());
  const auto shifted = [&](Occurrence i) { return lengths.difference(i) + max_length; };
  auto place = begins_of(occurrences_, 2 * max_length, shifted);
  for (const auto i : occurrences_) by_difference[place[static_cast<std::size_t>(shifted(i))]++] = i;

  const auto begins = begins_of(occurrences_, max_length, [&](Occurrence i) { return lengths.positions(i); });
  place = begins;
  for (const auto i : by_difference) occurrences_[place[static_cast<std::size_t>(lengths.positions(i))]++] = i;
  for (std::size_t length = even_rise ? 1 : 0; length + 1 < begins.size(); length += 2)
    std::reverse(occurrences_.begin() + begins[length], occurrences_.begin() + begins[length + 1]);
}

void EpochOrder::shuffle_equals(const Lengths& lengths, const RandomStream& random) {
  const auto sides = [&](std::size_t place) {
    return std::pair(lengths.source(occurrences_[place]), lengths.target(occurrences_[place]));
  };
  for (std::size_t begin = 0, end = 0; begin < occurrences_.size(); begin = end) {
    const auto equal = sides(begin);
    for (end = begin + 1; end < occurrences_.size() && sides(end) == equal;) ++end;
    for (std::size_t last = end - 1; last > begin; --last)
      std::swap(occurrences_[last], occurrences_[begin + random.below(last - begin + 1, last)]);
  }
}

void EpochOrder::cut(const Lengths& lengths, std::int64_t batch_tokens, std::int64_t first_batch_tokens) {
  std::int64_t limit = first_batch_tokens, begin = 0;
  std::int64_t length = 0, length_begin = 0;  // length of the current pair, and the first place of that length
  const auto begin_batch = [&](std::int64_t place) {
    begin = place;
    begins_.push_back(static_cast<std::uint32_t>(place));
  };
  for (std::int64_t place = 0; place < std::ssize(occurrences_); ++place) {
    if (place == 0) begin_batch(0);
    const auto length_before = std::exchange(length, lengths.positions(occurrences_[static_cast<std::size_t>(place)]));
    if (length_before != length) length_begin = place;
    while (place > begin && length * (place - begin + 1) > limit) {
      const bool small = length_begin > begin && (place - length_begin) * kSmallShare <= place - begin;
      begin_batch(small ? length_begin : place);
      limit = batch_tokens;
    }
  }
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
