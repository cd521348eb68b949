#pragma once

#include <cstdint>
#include <vector>

#include "common/special_ids.h"

namespace gloss {

/// Sentence pairs that go through the model together. The ids are ragged; conversion to tensors adds the padding.
/// Sources and targets are pieces and eos.
struct Batch {
  std::vector<Ids> source;
  std::vector<Ids> target;

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

}  // namespace gloss
