#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "common/special_ids.h"
#include "data/links.h"

namespace gloss {

/// Sentence pairs that go through the model together. The ids are ragged; conversion to tensors adds the padding.
/// Sources and targets are pieces and eos.
struct Batch {
  std::vector<Ids> source;
  std::vector<Ids> target;
  std::vector<Links> links = {};  ///< of the ids of each pair; empty without data.train_alignment

  /// Returns the number of tokens to predict: pieces and eos of the targets, without padding.
  std::int64_t target_tokens() const {
    std::int64_t count = 0;
    for (const auto& ids : target) count += static_cast<std::int64_t>(ids.size());
    return count;
  }
};

/// Cuts a batch into `count` shards of neighboring sentences, in their order, of about equal numbers of tokens. `count`
/// is at least 1. The sizes of the shards are a function of the lengths alone; shards may be empty if there are few
/// sentences. Each sentence has an eos on either side.
std::vector<Batch> cut_into_shards(Batch batch, std::int64_t count);

/// Lengths of the two sides of a pair: pieces and eos.
struct PairLengths {
  std::int64_t source = 0, target = 0;

  std::int64_t longer() const { return std::max(source, target); }
  std::int64_t difference() const { return source - target; }
  bool operator==(const PairLengths&) const = default;
};

/// Returns the lengths of a pair that is given by a number, such as its index.
using LengthsOf = std::function<PairLengths(std::uint32_t)>;

/// Sorts pairs by the longer side, then by source - target, falling and rising in turn, so that neighbors are alike on
/// both sides. `even_rise`: whether the difference rises at even lengths. Time and memory grow linearly with the pairs
/// and the greatest length.
void sort_by_length(std::vector<std::uint32_t>& pairs, const LengthsOf& lengths_of, bool even_rise);

/// Cuts sorted pairs into batches and returns the begin of each. A batch has at most `batch_tokens` positions, the
/// first one `first_batch_tokens`: the longest side times the pairs, padding included. A longer pair is a batch by
/// itself. A batch ends a little early if the pairs of a new length would be a small part of it.
std::vector<std::uint32_t> cut_by_length(std::span<const std::uint32_t> pairs, const LengthsOf& lengths_of,
                                         std::int64_t batch_tokens, std::int64_t first_batch_tokens);

/// Returns the indices of the pairs of each batch, the shortest pairs first. Training forms its batches in this way,
/// and shuffles besides (data/epoch_stage.h).
std::vector<std::vector<std::int64_t>> batches_by_length(std::span<const PairLengths> pairs, std::int64_t batch_tokens);

}  // namespace gloss
