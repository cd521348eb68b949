#include "training/gradients.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

namespace gloss {

Gradients gradients_of(const at::Tensor& loss, const std::vector<at::Tensor>& parameters) {
  return torch::autograd::grad({loss}, parameters, {}, /*retain_graph=*/std::nullopt, /*create_graph=*/false,
                               /*allow_unused=*/true);
}

void ShardSums::add(ShardSums after) {
  if (after.tokens == 0) return;
  if (tokens == 0) {
    *this = std::move(after);
    return;
  }
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    auto &sum = gradients[i], &more = after.gradients[i];
    if (more.defined()) sum = sum.defined() ? sum + more : more;
    more.reset();
  }
  nll = nll + after.nll;
  tokens += after.tokens;
  statistics.append(std::move(after.statistics));
}

ShardSums added(ShardSums first, ShardSums after) {
  first.add(std::move(after));
  return first;
}

ShardTree::ShardTree(std::int64_t shards) {
  for (auto nodes = static_cast<std::size_t>(shards); nodes > 1; nodes = (nodes + 1) / 2) levels_.emplace_back(nodes);
  levels_.emplace_back(1);
}

void ShardTree::put(std::int64_t shard, ShardSums sums) {
  auto index = static_cast<std::size_t>(shard);
  std::unique_lock lock(mutex_);
  for (std::size_t level = 0; level + 1 < levels_.size(); ++level, index /= 2) {
    const auto sibling = index ^ 1U;
    if (sibling >= levels_[level].size()) continue;  // the last node of an odd level moves up
    if (!levels_[level][sibling].is_put) {
      levels_[level][index] = {true, std::move(sums)};
      return;
    }
    auto other = std::exchange(levels_[level][sibling].sums, {});
    lock.unlock();
    sums = index < sibling ? added(std::move(sums), std::move(other)) : added(std::move(other), std::move(sums));
    lock.lock();
  }
  levels_.back().front() = {true, std::move(sums)};
}

ShardSums ShardTree::take() { return std::exchange(levels_.back().front().sums, {}); }

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
