#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include <ATen/core/Tensor.h>

#include "model/alternatives/batch_norm.h"

namespace gloss {

/// The gradient of each trained parameter, in the order of Adam::trained(). Undefined: the loss does not depend on the
/// parameter. Two may be the same tensor, so none is changed in place.
using Gradients = std::vector<at::Tensor>;

/// The gradients of a scalar, by backpropagation. May be called by several threads for the same parameters.
Gradients gradients_of(const at::Tensor& loss, const std::vector<at::Tensor>& parameters);

/// Sums over a shard, or over some of them; empty for a shard without sentences.
struct ShardSums {
  Gradients gradients;
  at::Tensor nll;  ///< scalar, float64, on the device: negative log-likelihood without smoothing
  std::int64_t tokens = 0;
  BatchStatistics batch_statistics;  ///< of the shards, in their order

  /// Appends the sums of the shards that follow.
  void add(ShardSums after);
};

/// Adds the sums of a batch's shards in an order that does not depend on which is put first: as the leaves of a binary
/// tree, ((0 + 1) + (2 + 3)) + ... Several threads may call `put`; the one that puts the later of two sums adds them.
class ShardTree {
 public:
  explicit ShardTree(std::int64_t shards);

  void put(std::int64_t shard, ShardSums sums);
  /// The sum of all shards, once each is put.
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
