#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include <ATen/core/Tensor.h>

#include "model/batch_statistics.h"

namespace gloss {

/// The gradient of each trained parameter, in the order of Adam::trained(). An undefined gradient means that the loss
/// does not depend on the parameter. Two may be the same tensor, so they are not changed in place.
using Gradients = std::vector<at::Tensor>;

/// Returns the gradients of a scalar, by backpropagation. Several threads may call it for the same parameters.
Gradients gradients_of(const at::Tensor& loss, const std::vector<at::Tensor>& parameters);

/// Sums over one shard or several; empty for a shard without sentences.
struct ShardSums {
  Gradients gradients;
  at::Tensor nll;  ///< scalar, float64, on the device: negative log-likelihood without smoothing
  std::int64_t tokens = 0;
  BatchStatistics statistics;  ///< of the shards, in their order

  /// Appends the sums of the shards that follow.
  void add(ShardSums after);
};

/// Adds the sums of a batch's shards in an order that does not depend on which is put first: as the leaves of a binary
/// tree, ((0 + 1) + (2 + 3)) + ... Several threads may call `put`; the one that puts the later of two sums adds them.
class ShardTree {
 public:
  explicit ShardTree(std::int64_t shards);

  void put(std::int64_t shard, ShardSums sums);
  /// Returns the sum of all shards, once each is put.
  ShardSums take();

 private:
  struct Node {
    bool is_put = false;
    ShardSums sums;
  };

  std::mutex mutex_;
  std::vector<std::vector<Node>> levels_;  ///< from the leaves to one node
};

}  // namespace gloss
