#pragma once

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

}  // namespace gloss
