#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

namespace gloss {

/// Statistics over the shard of one training pass, which running statistics of the network take over. The pass changes
/// no module: `update_running` is called once it is known that the update is applied.
struct BatchStatistics {
  static constexpr double kMomentum = 0.1;  ///< share of a new shard in the running statistics

  /// A statistic of a shard: the running one, and the value that it takes over, [D] each.
  struct Seen {
    at::Tensor running, value;
  };

  std::vector<Seen> seen = {};  ///< in the order of the norms in the pass

  /// Appends the statistics of the passes that follow.
  void append(BatchStatistics after);
  /// Sets running = (1 - kMomentum) * running + kMomentum * value, for each statistic in their order.
  void update_running() const;
};

/// A head of an attention whose weights a training pass returns besides its output. They are computed for this head
/// alone, so that the others keep their fast path.
struct WatchedHead {
  std::string site;         ///< of the attention (SitedModule)
  std::int64_t head = 0;    ///< from 0
  at::Tensor weights = {};  ///< [B, T, S], before dropout; set by the pass
};

/// The batch of a training pass, for norms over its positions: the lengths [B] of its sentences without padding, and
/// the statistics that the pass collects. Without lengths no position is padding.
struct BatchContext {
  std::vector<std::int64_t> source_lengths, target_lengths;
  BatchStatistics statistics = {};
  std::optional<WatchedHead> watched = {};
};

}  // namespace gloss
