#pragma once

#include <vector>

#include "common/special_ids.h"

namespace gloss {

/// Sentence pairs that go through the model together; ragged, padded only where they become tensors. Sources and
/// targets are pieces and eos.
struct Batch {
  std::vector<Ids> source;
  std::vector<Ids> target;

  /// Wanted outputs: pieces and eos, padding not counted.
  std::int64_t target_tokens() const {
    std::int64_t count = 0;
    for (const auto& ids : target) count += static_cast<std::int64_t>(ids.size());
    return count;
  }
};

}  // namespace gloss
