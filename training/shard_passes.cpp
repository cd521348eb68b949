#include "training/shard_passes.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <string>

#include "common/error.h"
#include "common/log/log.h"
#include "data/batch.h"
#include "model/fast/matrix_product.h"
#include "tensor/caching_allocator.h"
#include "tensor/out_of_memory.h"
#include "training/mixed_precision.h"

namespace gloss {
namespace {

// Added to the shard's number for the dropout of the second half. It exceeds every shard's number: an update has fewer
// shards.
constexpr std::uint32_t kSecondHalf = 1U << 31;

}  // namespace

ShardPasses::ShardPasses(EncoderDecoder& model, const std::vector<at::Tensor>& parameters, Workers& workers,
                         std::span<const Batch> batches, const RandomStream& dropout, const UpdateOptions& options,
                         std::int64_t processes)
    : model_(model),
      parameters_(parameters),
      workers_(workers),
      dropout_(dropout),
      options_(options),
      count_(model->device().is_cpu() ? options.shards : processes),
      side_by_side_(count_ > 1 && model->device().is_cpu()) {
  for (const Batch& batch : batches)
    for (auto& part : cut_into_shards(batch, count_))
      shards_.push_back({static_cast<std::uint32_t>(shards_.size()), {std::move(part)}});
}

std::vector<ShardSums> ShardPasses::sums(std::int64_t batch, const std::vector<ShardNode>& nodes) {
  while (true) {
    std::size_t failed = 0;
    if (auto sums = try_sums(batch, nodes, failed)) return std::move(*sums);
    retry(failed);
  }
}

std::optional<std::vector<ShardSums>> ShardPasses::try_sums(std::int64_t batch, const std::vector<ShardNode>& nodes,
                                                            std::size_t& failed) {
  struct Task {
    std::size_t shard, node;
    std::int64_t leaf;  // index of the shard in its node
  };
  std::vector<Task> tasks;
  std::vector<std::unique_ptr<ShardTree>> trees;
  for (const auto& node : nodes) {
    for (std::int64_t leaf = 0; leaf < node.count; ++leaf)
      tasks.push_back({static_cast<std::size_t>(batch * count_ + node.first + leaf), trees.size(), leaf});
    trees.push_back(std::make_unique<ShardTree>(node.count));
  }
  failed = tasks.front().shard;
  bool out_of_memory = false;
  const auto do_task = [&](std::int64_t i) {
    const auto& [shard, node, leaf] = tasks[static_cast<std::size_t>(i)];
    try {
      trees[node]->put(leaf, sums(shards_[shard]));
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (is_out_of_memory()) {
        failed = out_of_memory ? std::min(failed, shard) : shard;
        out_of_memory = true;
      }
      throw;
    }
  };
  Lap lap;
  try {
    run_tasks(std::ssize(tasks), do_task);
  } catch (...) {
    if (!out_of_memory && !is_out_of_memory()) throw;
    return std::nullopt;
  }
  wall_ += lap();
  std::vector<ShardSums> sums;
  for (auto& tree : trees) sums.push_back(tree->take());
  return sums;
}

void ShardPasses::run_tasks(std::int64_t count, const std::function<void(std::int64_t)>& task) const {
  if (side_by_side_) return workers_.run(count, task);
  for (std::int64_t i = 0; i < count; ++i) {
    if (model_->device().is_cpu())
      workers_.run(1, [&](std::int64_t) { task(i); });
    else
      task(i);
  }
}

ShardSums ShardPasses::sums(const Shard& shard) {
  ShardSums sum;
  if (shard.parts.front().source.empty()) return sum;
  const auto batch = static_cast<std::size_t>(shard.number / count_);
  if (shard.parts.size() == 1 && batch < options_.padded.size()) return sums(options_.padded[batch], shard.number);
  for (std::size_t part = 0; part < shard.parts.size(); ++part)
    sum.add(sums(pad_batch(shard.parts[part], model_->device()), shard.number + (part == 0 ? 0 : kSecondHalf)));
  return sum;
}

// Runs a forward and a backward pass.
ShardSums ShardPasses::sums(const PaddedBatch& batch, std::uint32_t number) {
  const Bfloat16Products rounded(options_.precision == Precision::kBfloat16);
  const auto random = dropout_.at(static_cast<std::uint32_t>(options_.step), number);
  ShardSums sum;
  Lap lap;
  Loss loss = [&] {
    const Autocast autocast(options_.precision == Precision::kBfloat16, model_->device());
    return batch_loss(model_, batch, options_.label_smoothing,
                      {.training = true, .random = &random, .plain = options_.plain, .int8 = options_.int8},
                      options_.guided);
  }();
  const double forward = lap();
  sum.gradients = gradients_of(loss.smoothed_sum, parameters_);
  sum.nll = loss.nll_sum;
  sum.tokens = loss.tokens;
  sum.statistics = std::move(loss.statistics);
  const std::lock_guard lock(mutex_);
  forward_ += forward;
  backward_ += lap();
  return sum;
}

UpdateSeconds ShardPasses::seconds() const {
  const double worked = std::max(forward_ + backward_, std::numeric_limits<double>::min());
  return {.forward = wall_ * forward_ / worked, .backward = wall_ * backward_ / worked};
}

void ShardPasses::retry(std::size_t failed) {
  release_cached_memory();
  if (!std::exchange(side_by_side_, false)) split(shards_[failed]);
}

// Replaces a shard by two halves of its sentences.
void ShardPasses::split(Shard& shard) const {
  const bool is_half = shard.parts.size() > 1;
  Batch& first = shard.parts.front();
  const auto sentences = first.source.size();
  const auto place = "step " + std::to_string(options_.step) + ": out of memory in ";
  if (is_half || sentences < 2)
    throw OutOfMemoryError(place + (is_half ? "the half of a shard, " : "a shard, ") + std::to_string(sentences) +
                           " sentences; leave more memory to this run, or begin one with a smaller "
                           "data.batch_tokens and more training.accumulate");
  log_warning(place + "a shard of " + std::to_string(sentences) + " sentences, which is split in two");

  const auto middle = static_cast<std::ptrdiff_t>((sentences + 1) / 2);
  Batch second;
  const auto move_half = [&](auto& from, auto& to) {
    if (from.empty()) return;
    to.assign(std::make_move_iterator(from.begin() + middle), std::make_move_iterator(from.end()));
    from.resize(static_cast<std::size_t>(middle));
  };
  move_half(first.source, second.source);
  move_half(first.target, second.target);
  move_half(first.links, second.links);
  shard.parts.push_back(std::move(second));
}

// Returns the index of the last shard that can be split, or of the last one.
std::size_t ShardPasses::last_to_split() const {
  for (auto i = shards_.size(); i-- > 0;)
    if (shards_[i].parts.size() == 1 && shards_[i].parts.front().source.size() > 1) return i;
  return shards_.size() - 1;
}

PaddedBatch pad_own_shard(const Batch& batch, at::Device gpu, const Exchange& exchange) {
  return pad_batch(cut_into_shards(batch, exchange.size())[static_cast<std::size_t>(exchange.rank())], gpu);
}

ShardSums sum_over_shards(EncoderDecoder& model, const std::vector<at::Tensor>& parameters, Workers& workers,
                          std::span<const Batch> batches, const RandomStream& dropout, const UpdateOptions& options) {
  ShardPasses passes(model, parameters, workers, batches, dropout, options);
  ShardSums sum;
  for (std::int64_t batch = 0; batch < passes.batches(); ++batch) {
    std::size_t failed = 0;
    auto sums = passes.try_sums(batch, {{0, passes.shards()}}, failed);
    if (!sums) throw std::bad_alloc();
    sum.add(std::move(sums->front()));
  }
  return sum;
}

}  // namespace gloss
