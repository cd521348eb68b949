#include "training/gradients.h"

#include <optional>
#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

namespace gloss {
namespace {

ShardSums added(ShardSums first, ShardSums after) {
  first.add(std::move(after));
  return first;
}

}  // namespace

Gradients gradients_of(const at::Tensor& loss, const std::vector<at::Tensor>& parameters) {
  return torch::autograd::grad({loss}, parameters, {}, /*retain_graph=*/std::nullopt, /*create_graph=*/false,
                               /*allow_unused=*/true);
}

void ShardSums::add(ShardSums after) {
  if (after.gradients.empty()) return;
  if (gradients.empty()) {
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
  batch_statistics.append(std::move(after.batch_statistics));
}

ShardTree::ShardTree(std::int64_t batches, std::int64_t shards) : batches_(static_cast<std::size_t>(batches)) {
  for (auto& levels : batches_) {
    for (auto nodes = static_cast<std::size_t>(shards); nodes > 1; nodes = (nodes + 1) / 2) levels.emplace_back(nodes);
    levels.emplace_back(1);
  }
}

void ShardTree::put(std::int64_t batch, std::int64_t shard, ShardSums sums) {
  auto& levels = batches_[static_cast<std::size_t>(batch)];
  auto index = static_cast<std::size_t>(shard);
  std::unique_lock lock(mutex_);
  for (std::size_t level = 0; level + 1 < levels.size(); ++level, index /= 2) {
    const auto sibling = index ^ 1U;
    if (sibling >= levels[level].size()) continue;  // the last node of an odd level moves up
    if (!levels[level][sibling].is_put) {
      levels[level][index] = {true, std::move(sums)};
      return;
    }
    auto other = std::exchange(levels[level][sibling].sums, {});
    lock.unlock();
    sums = index < sibling ? added(std::move(sums), std::move(other)) : added(std::move(other), std::move(sums));
    lock.lock();
  }
  levels.back().front() = {true, std::move(sums)};
  if (is_summing_) return;
  is_summing_ = true;
  while (summed_ < batches_.size() && batches_[summed_].back().front().is_put) {
    auto next = std::exchange(batches_[summed_].back().front().sums, {});
    lock.unlock();
    sum_.add(std::move(next));
    lock.lock();
    ++summed_;
  }
  is_summing_ = false;
}

ShardSums ShardTree::take() { return std::exchange(sum_, {}); }

}  // namespace gloss
