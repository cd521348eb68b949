#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace gloss {

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
