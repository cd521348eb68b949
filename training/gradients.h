#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
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
/// Returns the sums of `first` and of the shards that follow.
ShardSums added(ShardSums first, ShardSums after);

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

/// A node of the tree in which the sums of a batch's shards are added (ShardTree): the shards from `first` on.
struct ShardNode {
  std::int64_t first = 0, count = 1;
  bool operator==(const ShardNode&) const = default;
};

/// Returns the largest nodes of the tree of `shards` shards that hold only shards of process `rank`, in their order.
/// Each of `processes` processes has about the same number of neighboring shards.
std::vector<ShardNode> nodes_of_process(std::int64_t shards, std::int64_t rank, std::int64_t processes);

/// Adds the values of nodes, which together hold each shard once, in the order of the tree: the same sum, bit for bit,
/// as that of a ShardTree over all shards. `add(first, after)` returns the sum.
template <typename Value>
Value sum_of_nodes(std::int64_t shards, const std::vector<ShardNode>& nodes, std::vector<Value> values,
                   const std::function<Value(Value first, Value after)>& add) {
  std::size_t next = 0;  // in the order of the shards
  const std::function<Value(std::int64_t, std::int64_t)> sum = [&](std::int64_t first, std::int64_t span) {
    const ShardNode node{first, std::min(span, shards - first)};
    if (nodes[next] == node) return std::move(values[next++]);
    auto left = sum(first, span / 2);
    if (first + span / 2 >= shards) return left;
    auto right = sum(first + span / 2, span / 2);
    return add(std::move(left), std::move(right));
  };
  std::int64_t span = 1;
  while (span < shards) span *= 2;
  return sum(0, span);
}

}  // namespace gloss
