#include "training/update.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "common/error.h"
#include "common/log/log.h"
#include "data/shards.h"
#include "model/fast/matrix_product.h"
#include "model/padding.h"
#include "tensor/caching_allocator.h"
#include "tensor/out_of_memory.h"
#include "tensor/to_device.h"
#include "training/gradients.h"
#include "training/mixed_precision.h"
#include "training/output_loss.h"

namespace gloss {
namespace {

// Added to the shard's number for the dropout of the second half. It exceeds every shard's number: an update has fewer
// shards.
constexpr std::uint32_t kSecondHalf = 1U << 31;

// Returns the indices into [B * T] of the positions that are not padding.
std::vector<std::int64_t> filled_positions(const std::vector<std::int64_t>& lengths, std::int64_t T) {
  std::vector<std::int64_t> positions;
  for (std::size_t b = 0; b < lengths.size(); ++b)
    for (std::int64_t t = 0; t < lengths[b]; ++t) positions.push_back(static_cast<std::int64_t>(b) * T + t);
  return positions;
}

// A stopwatch: returns the seconds since the last call.
class Lap {
 public:
  double operator()() {
    const auto before = std::exchange(last_, std::chrono::steady_clock::now());
    return std::chrono::duration<double>(last_ - before).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// A shard of a batch, or its halves if memory ran out.
struct Shard {
  std::uint32_t number;  // of its dropout
  std::vector<Batch> parts;
};

// Replaces a shard by two halves of its sentences.
void split(Shard& shard, std::int64_t step) {
  const bool is_half = shard.parts.size() > 1;
  Batch& first = shard.parts.front();
  const auto sentences = first.source.size();
  const auto place = "step " + std::to_string(step) + ": out of memory in ";
  if (is_half || sentences < 2)
    throw OutOfMemoryError(place + (is_half ? "the half of a shard, " : "a shard, ") + std::to_string(sentences) +
                           " sentences; leave more memory to this run, or begin one with a smaller "
                           "data.batch_tokens and more training.accumulate");
  log_warning(place + "a shard of " + std::to_string(sentences) + " sentences, which is split in two");

  const auto middle = static_cast<std::ptrdiff_t>((sentences + 1) / 2);
  Batch second;
  for (const auto side : {&Batch::source, &Batch::target}) {
    auto& all = first.*side;
    (second.*side).assign(std::make_move_iterator(all.begin() + middle), std::make_move_iterator(all.end()));
    all.resize(static_cast<std::size_t>(middle));
  }
  shard.parts.push_back(std::move(second));
}

// Returns the number of shards of a batch; a GPU computes a batch as a whole.
std::int64_t shards_of_batch(const EncoderDecoder& model, const UpdateOptions& options) {
  return model->device().is_cpu() ? options.shards : 1;
}

/// The shards of the batches of an update and the passes through them. If memory runs out in a shard, the shards that
/// follow go one after the other, which takes less memory and gives the same bits; then shards are split.
class UpdatePasses {
 public:
  UpdatePasses(EncoderDecoder& model, const std::vector<at::Tensor>& parameters, Workers& workers,
               std::span<const Batch> batches, const RandomStream& dropout, const UpdateOptions& options)
      : model_(model),
        parameters_(parameters),
        workers_(workers),
        dropout_(dropout),
        options_(options),
        count_(shards_of_batch(model, options)),
        side_by_side_(count_ > 1) {
    for (const Batch& batch : batches)
      for (auto& part : cut_into_shards(batch, count_))
        shards_.push_back({static_cast<std::uint32_t>(shards_.size()), {std::move(part)}});
  }

  std::int64_t batches() const { return std::ssize(shards_) / count_; }
  std::int64_t shards() const { return count_; }  // of each batch

  /// Goes through the shards of some nodes of a batch's tree, forward and backward, and returns the sum of each node.
  /// Throws OutOfMemoryError if memory runs out even for a half.
  std::vector<ShardSums> sums(std::int64_t batch, const std::vector<ShardNode>& nodes) {
    while (true) {
      std::size_t failed = 0;
      if (auto sums = try_sums(batch, nodes, failed)) return std::move(*sums);
      retry(failed);
    }
  }
  /// Computes the same as `sums`, without a second attempt. Returns nothing if memory runs out; `failed` is then the
  /// first such shard.
  std::optional<std::vector<ShardSums>> try_sums(std::int64_t batch, const std::vector<ShardNode>& nodes,
                                                 std::size_t& failed);

  /// Takes less memory from now on, after it ran out in the computation of the norm.
  void retry_after_norm() { retry(last_to_split()); }

  /// Returns the time of the passes. Time in which some workers go forward and others backward is divided in proportion
  /// to the sums of their times.
  UpdateSeconds seconds() const {
    const double worked = std::max(forward_ + backward_, std::numeric_limits<double>::min());
    return {.forward = wall_ * forward_ / worked, .backward = wall_ * backward_ / worked};
  }

 private:
  void run_tasks(std::int64_t count, const std::function<void(std::int64_t)>& task) const;
  ShardSums sums(const Shard& shard);
  ShardSums sums(const Batch& batch, std::uint32_t number);

  void retry(std::size_t failed) {
    release_cached_memory();
    if (!std::exchange(side_by_side_, false)) split(shards_[failed], options_.step);
  }

  // Returns the index of the last shard that can be split, or of the last one.
  std::size_t last_to_split() const {
    for (auto i = shards_.size(); i-- > 0;)
      if (shards_[i].parts.size() == 1 && shards_[i].parts.front().source.size() > 1) return i;
    return shards_.size() - 1;
  }

  EncoderDecoder& model_;
  const std::vector<at::Tensor>& parameters_;
  Workers& workers_;
  const RandomStream& dropout_;
  const UpdateOptions& options_;
  std::int64_t count_;  // shards of each batch
  bool side_by_side_;
  std::vector<Shard> shards_;  // batch by batch
  double wall_ = 0;
  std::mutex mutex_;                   // guards the members below
  double forward_ = 0, backward_ = 0;  // summed over the workers
};

std::optional<std::vector<ShardSums>> UpdatePasses::try_sums(std::int64_t batch, const std::vector<ShardNode>& nodes,
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

void UpdatePasses::run_tasks(std::int64_t count, const std::function<void(std::int64_t)>& task) const {
  if (model_->device().is_cpu() && side_by_side_) return workers_.run(count, task);
  for (std::int64_t i = 0; i < count; ++i) {
    if (model_->device().is_cpu())
      workers_.run(1, [&](std::int64_t) { task(i); });
    else
      task(i);
  }
}

ShardSums UpdatePasses::sums(const Shard& shard) {
  ShardSums sum;
  if (shard.parts.front().source.empty()) return sum;
  for (std::size_t part = 0; part < shard.parts.size(); ++part)
    sum.add(sums(shard.parts[part], shard.number + (part == 0 ? 0 : kSecondHalf)));
  return sum;
}

// Runs a forward and a backward pass.
ShardSums UpdatePasses::sums(const Batch& batch, std::uint32_t number) {
  const Bfloat16Products rounded(options_.precision == Precision::kBfloat16);
  const auto random = dropout_.at(static_cast<std::uint32_t>(options_.step), number);
  ShardSums sum;
  Lap lap;
  const Loss loss = [&] {
    const Autocast autocast(options_.precision, model_->device());
    return batch_loss(
        model_, batch, options_.label_smoothing,
        {.training = true, .random = &random, .plain = options_.plain, .batch_statistics = &sum.batch_statistics});
  }();
  const double forward = lap();
  sum.gradients = gradients_of(loss.smoothed_sum, parameters_);
  sum.nll = loss.nll_sum;
  sum.tokens = loss.tokens;
  const std::lock_guard lock(mutex_);
  forward_ += forward;
  backward_ += lap();
  return sum;
}

// Returns the sums over all shards of all processes.
ShardSums sum_of_batches(UpdatePasses& passes, GradientExchange* gradient_exchange) {
  const auto count = passes.shards();
  ShardSums sum;
  for (std::int64_t batch = 0; batch < passes.batches(); ++batch) {
    if (gradient_exchange != nullptr)
      sum.add(gradient_exchange->sum(count, passes.sums(batch, gradient_exchange->nodes(count))));
    else
      sum.add(std::move(passes.sums(batch, {{0, count}}).front()));
  }
  return sum;
}

// Returns the sums over all shards. Sets the gradients of `adam`, and loss, norm and seconds of `result`.
ShardSums sums_with_norm(UpdatePasses& passes, Adam& adam, GradientExchange* gradient_exchange, UpdateResult& result) {
  while (true) {
    try {
      Lap lap;
      ShardSums sum = sum_of_batches(passes, gradient_exchange);
      const auto norm = adam.set_gradients(std::move(sum.gradients));
      const auto numbers = at::stack({sum.nll, norm}).cpu();  // [2]
      result.nll_sum = numbers.const_data_ptr<double>()[0];
      result.gradient_norm = numbers.const_data_ptr<double>()[1];
      result.seconds = passes.seconds();
      result.seconds.optimizer += lap() - result.seconds.forward - result.seconds.backward;
      return sum;
    } catch (const OutOfMemoryError&) {
      throw;
    } catch (...) {
      // The other processes wait in the exchange.
      if (gradient_exchange != nullptr || !is_out_of_memory()) throw;
    }
    adam.clear_gradients();
    passes.retry_after_norm();
  }
}

}  // namespace

Loss batch_loss(EncoderDecoder& model, const Batch& batch, double label_smoothing, const Pass& pass) {
  const PaddedIds source = pad(batch.source, model->device());
  const ShiftedTarget target = shift_target(batch.target, model->device());
  auto output = model->forward(source, target.input, pass).flatten(0, 1);  // [B * T, D]
  auto labels = target.labels.flatten();                                   // [B * T]

  const auto filled = filled_positions(target.input.lengths, target.labels.size(1));
  if (static_cast<std::int64_t>(filled.size()) < labels.size(0)) {
    const auto rows = to_device(filled, model->device());  // [N]
    output = output.index_select(0, rows);                 // [N, D]
    labels = labels.index_select(0, rows);                 // [N]
  }
  const auto& generator = model->generator();
  const auto sums = pass.plain ? label_smoothed_loss(generator->forward(output), labels, label_smoothing)
                               : output_loss(generator, output, labels, label_smoothing);
  return {{sums.smoothed_sum, sums.nll_sum.to(at::kDouble)}, batch.target_tokens()};
}

ShardSums sum_over_shards(EncoderDecoder& model, const std::vector<at::Tensor>& parameters, Workers& workers,
                          std::span<const Batch> batches, const RandomStream& dropout, const UpdateOptions& options) {
  UpdatePasses passes(model, parameters, workers, batches, dropout, options);
  ShardSums sum;
  for (std::int64_t batch = 0; batch < passes.batches(); ++batch) {
    std::size_t failed = 0;
    auto sums = passes.try_sums(batch, {{0, passes.shards()}}, failed);
    if (!sums) throw std::bad_alloc();
    sum.add(std::move(sums->front()));
  }
  return sum;
}

UpdateResult update_weights(EncoderDecoder& model, Adam& adam, Workers& workers, std::span<const Batch> batches,
                            const RandomStream& dropout, const UpdateOptions& options,
                            GradientExchange* gradient_exchange) {
  UpdateResult result;
  UpdatePasses passes(model, adam.trained(), workers, batches, dropout, options);
  const ShardSums sum = sums_with_norm(passes, adam, gradient_exchange, result);
  Lap lap;
  const double per_token = 1.0 / static_cast<double>(sum.tokens);
  result.tokens = sum.tokens;
  result.gradient_norm *= per_token;
  result.applied = std::isfinite(result.nll_sum) && std::isfinite(result.gradient_norm);
  if (result.applied) {
    adam.step({.step = options.step,
               .learning_rate = options.learning_rate,
               .gradient_factor = per_token * clip_factor(result.gradient_norm, options.clip_norm)});
    sum.batch_statistics.update_running();
  } else {
    adam.clear_gradients();
  }
  result.seconds.optimizer += lap();
  return result;
}

}  // namespace gloss
