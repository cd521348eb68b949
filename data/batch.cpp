#include "data/batch.h"

#include <cstddef>
#include <numeric>
#include <utility>

namespace gloss {
namespace {

// Pairs of a new length that would be at most a fifth of the batch begin the next one.
constexpr std::int64_t kSmallShare = 5;

using Indices = std::vector<std::uint32_t>;

// Returns the begin of each key's entries in sorted order, for keys from 0 to `max_key`, and the end.
template <typename Key>
Indices begins_of(const Indices& pairs, std::int64_t max_key, Key key) {
  Indices begins(static_cast<std::size_t>(max_key) + 2);
  for (const auto i : pairs) ++begins[static_cast<std::size_t>(key(i)) + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  return begins;
}

}  // namespace

std::vector<Batch> cut_into_shards(Batch batch, std::int64_t count) {
  std::vector<Batch> shards(static_cast<std::size_t>(count));
  const auto tokens_of = [&](std::size_t sentence) {
    return std::ssize(batch.source[sentence]) + std::ssize(batch.target[sentence]);
  };
  std::int64_t all = 0, before = 0;
  for (std::size_t i = 0; i < batch.source.size(); ++i) all += tokens_of(i);
  for (std::size_t i = 0; i < batch.source.size(); ++i) {
    const auto tokens = tokens_of(i);
    // The shard in which the middle of the sentence lies.
    const auto middle = (2 * before + tokens) * count / (2 * all);
    auto& shard = shards[static_cast<std::size_t>(middle)];
    before += tokens;
    shard.source.push_back(std::move(batch.source[i]));
    shard.target.push_back(std::move(batch.target[i]));
    if (!batch.links.empty()) shard.links.push_back(std::move(batch.links[i]));
  }
  return shards;
}

// Sorts by two counting sorts: first by difference, then stably by length.
void sort_by_length(std::vector<std::uint32_t>& pairs, const LengthsOf& lengths_of, bool even_rise) {
  const auto length = [&](std::uint32_t i) { return lengths_of(i).longer(); };
  std::int64_t max_length = 0;
  for (const auto i : pairs) max_length = std::max(max_length, length(i));
  Indices by_difference(pairs.size());
  const auto shifted = [&](std::uint32_t i) { return lengths_of(i).difference() + max_length; };
  auto place = begins_of(pairs, 2 * max_length, shifted);
  for (const auto i : pairs) by_difference[place[static_cast<std::size_t>(shifted(i))]++] = i;

  const auto begins = begins_of(pairs, max_length, length);
  place = begins;
  for (const auto i : by_difference) pairs[place[static_cast<std::size_t>(length(i))]++] = i;
  for (std::size_t falling = even_rise ? 1 : 0; falling + 1 < begins.size(); falling += 2)
    std::reverse(pairs.begin() + begins[falling], pairs.begin() + begins[falling + 1]);
}

std::vector<std::uint32_t> cut_by_length(std::span<const std::uint32_t> pairs, const LengthsOf& lengths_of,
                                         std::int64_t batch_tokens, std::int64_t first_batch_tokens) {
  std::vector<std::uint32_t> begins;
  std::int64_t limit = first_batch_tokens, begin = 0;
  std::int64_t length = 0, length_begin = 0;  // length of the current pair, and the first place of that length
  const auto begin_batch = [&](std::int64_t place) {
    begin = place;
    begins.push_back(static_cast<std::uint32_t>(place));
  };
  for (std::int64_t place = 0; place < std::ssize(pairs); ++place) {
    if (place == 0) begin_batch(0);
    const auto length_before = std::exchange(length, lengths_of(pairs[static_cast<std::size_t>(place)]).longer());
    if (length_before != length) length_begin = place;
    while (place > begin && length * (place - begin + 1) > limit) {
      const bool small = length_begin > begin && (place - length_begin) * kSmallShare <= place - begin;
      begin_batch(small ? length_begin : place);
      limit = batch_tokens;
    }
  }
  return begins;
}

std::vector<std::vector<std::int64_t>> batches_by_length(std::span<const PairLengths> pairs,
                                                         std::int64_t batch_tokens) {
  const LengthsOf lengths_of = [&](std::uint32_t i) { return pairs[i]; };
  Indices order(pairs.size());
  std::iota(order.begin(), order.end(), 0u);
  sort_by_length(order, lengths_of, /*even_rise=*/true);
  auto begins = cut_by_length(order, lengths_of, batch_tokens, batch_tokens);
  std::vector<std::vector<std::int64_t>> batches;
  begins.push_back(static_cast<std::uint32_t>(order.size()));
  for (std::size_t i = 0; i + 1 < begins.size(); ++i)
    batches.emplace_back(order.begin() + begins[i], order.begin() + begins[i + 1]);
  return batches;
}

}  // namespace gloss
