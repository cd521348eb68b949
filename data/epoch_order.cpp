#include "data/epoch_order.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gloss {
namespace {

// Pairs of a new length that would be at most a fifth of the batch begin the next one.
constexpr std::int64_t kSmallShare = 5;

// Random draws of an epoch: its substreams.
enum Draw : std::uint32_t { kEquals, kBatches, kBegin };

using Indices = std::vector<std::uint32_t>;

std::int64_t positions(const ParallelCorpus& corpus, std::int64_t index) {
  return std::max(corpus.source_length(index), corpus.target_length(index));
}

std::int64_t difference(const ParallelCorpus& corpus, std::int64_t index) {
  return corpus.source_length(index) - corpus.target_length(index);
}

std::int64_t max_positions(const ParallelCorpus& corpus) {
  std::int64_t max_length = 0;
  for (std::int64_t i = 0; i < corpus.size(); ++i) max_length = std::max(max_length, positions(corpus, i));
  return max_length;
}

// Returns the begin of each key's entries in sorted order, for keys from 0 to `max_key`, and the end.
template <typename Key>
Indices begins_of(std::int64_t count, std::int64_t max_key, Key key) {
  Indices begins(static_cast<std::size_t>(max_key) + 2);
  for (std::int64_t i = 0; i < count; ++i) ++begins[static_cast<std::size_t>(key(i)) + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  return begins;
}

}  // namespace

EpochOrder::EpochOrder(const ParallelCorpus& corpus, std::int64_t batch_tokens) {
  sort(corpus, /*even_rise=*/true);
  cut(corpus, batch_tokens, batch_tokens);
}

EpochOrder::EpochOrder(const ParallelCorpus& corpus, std::int64_t batch_tokens, const RandomStream& random) {
  const auto begin = random.at(random.update(), kBegin);
  sort(corpus, /*even_rise=*/begin.bits(0) % 2 == 0);
  shuffle_equals(corpus, random.at(random.update(), kEquals));
  cut(corpus, batch_tokens, static_cast<std::int64_t>(begin.uniform(1) * static_cast<double>(batch_tokens)) + 1);
  order_.resize(begins_.size());
  std::iota(order_.begin(), order_.end(), 0u);
  random.at(random.update(), kBatches).shuffle(std::span(order_));
}

std::span<const std::uint32_t> EpochOrder::batch(std::int64_t index) const {
  const auto number = order_.empty() ? static_cast<std::size_t>(index) : order_[static_cast<std::size_t>(index)];
  const auto end = number + 1 < begins_.size() ? begins_[number + 1] : pairs_.size();
  return std::span(pairs_).subspan(begins_[number], end - begins_[number]);
}

// Sorts by two counting sorts: first by difference, then stably by length.
void EpochOrder::sort(const ParallelCorpus& corpus, bool even_rise) {
  const auto count = corpus.size(), max_length = max_positions(corpus);
  Indices by_difference(static_cast<std::size_t>(count));
  const auto shifted = [&](std::int64_t i) { return difference(corpus, i) + max_length; };
  auto place = begins_of(count, 2 * max_length, shifted);
  for (std::int64_t i = 0; i < count; ++i)
    by_difference[place[static_cast<std::size_t>(shifted(i))]++] = static_cast<std::uint32_t>(i);

  pairs_.resize(by_difference.size());
  const auto begins = begins_of(count, max_length, [&](std::int64_t i) { return positions(corpus, i); });
  place = begins;
  for (const auto i : by_difference) pairs_[place[static_cast<std::size_t>(positions(corpus, i))]++] = i;
  for (std::size_t length = even_rise ? 1 : 0; length + 1 < begins.size(); length += 2)
    std::reverse(pairs_.begin() + begins[length], pairs_.begin() + begins[length + 1]);
}

void EpochOrder::shuffle_equals(const ParallelCorpus& corpus, const RandomStream& random) {
  const auto lengths = [&](std::size_t place) {
    return std::pair(corpus.source_length(pairs_[place]), corpus.target_length(pairs_[place]));
  };
  for (std::size_t begin = 0, end = 0; begin < pairs_.size(); begin = end) {
    const auto equal = lengths(begin);
    for (end = begin + 1; end < pairs_.size() && lengths(end) == equal;) ++end;
    for (std::size_t last = end - 1; last > begin; --last)
      std::swap(pairs_[last], pairs_[begin + random.below(last - begin + 1, last)]);
  }
}

void EpochOrder::cut(const ParallelCorpus& corpus, std::int64_t batch_tokens, std::int64_t first_batch_tokens) {
  std::int64_t limit = first_batch_tokens, begin = 0;
  std::int64_t length = 0, length_begin = 0;  // length of the current pair, and the first place of that length
  const auto begin_batch = [&](std::int64_t place) {
    begin = place;
    begins_.push_back(static_cast<std::uint32_t>(place));
  };
  for (std::int64_t place = 0; place < std::ssize(pairs_); ++place) {
    if (place == 0) begin_batch(0);
    const auto length_before = std::exchange(length, positions(corpus, pairs_[static_cast<std::size_t>(place)]));
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
