#include "training/processes/shard_nodes.h"

#include <algorithm>

namespace gloss {

std::vector<ShardNode> nodes_of_process(std::int64_t shards, std::int64_t rank, std::int64_t processes) {
  const auto begin = rank * shards / processes, end = (rank + 1) * shards / processes;
  std::vector<ShardNode> nodes;
  for (auto first = begin; first < end;) {
    // A node begins at a multiple of its span; the last of a level may hold fewer shards.
    std::int64_t span = 1;
    while (first % (2 * span) == 0 && span < shards && std::min(first + 2 * span, shards) <= end) span *= 2;
    nodes.push_back({first, std::min(span, shards - first)});
    first += span;
  }
  return nodes;
}

}  // namespace gloss
