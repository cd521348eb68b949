#include "training/update.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <iterator>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "common/error.h"
#include "common/log.h"
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

// Added to the number of the second half's dropout, above every number of a shard: an update has fewer shards.
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

// A shard of a batch, or its halves where memory ran out.
struct Shard {
  std::uint32_t number;  // of its dropout
  std::vector<Batch> parts;
};

// Returns `count` shards of each batch, batch by batch.
std::vector<Shard> shards_of(std::span<const Batch> batches, std::int64_t count) {
  std::vector<Shard> shards;
  for (const Batch& batch : batches)
    for (auto& part : cut_into_shards(batch, count))
      shards.push_back({static_cast<std::uint32_t>(shards.size()), {std::move(part)}});
  return shards;
}

// A GPU computes a batch as a whole.
std::int64_t shards_of_batch(const EncoderDecoder& model, const UpdateOptions& options) {
  return model->device().is_cpu() ? options.shards : 1;
}

/// One attempt of an update: the sums over its shards.
class Attempt {
 public:
  Attempt(EncoderDecoder& model, const std::vector<at::Tensor>& parameters, const RandomStream& dropout,
          const UpdateOptions& options)
      : model_(model), parameters_(parameters), dropout_(dropout), options_(options) {}

  /// Goes through the shards of each batch, side by side or one after the other. If memory runs out, returns the index
  /// of the first such shard, after which no other begins.
  std::optional<std::size_t> run(Workers& workers, const std::vector<Shard>& shards, bool side_by_side) {
    const auto count = shards_of_batch(model_, options_);
    std::optional<std::size_t> failed;
    std::size_t first = 0;  // shard of the batch
    Lap lap;
    try {
      for (; first < shards.size(); first += static_cast<std::size_t>(count)) {
        ShardTree tree(count);
        const auto task = [&](std::int64_t i) {
          const auto index = first + static_cast<std::size_t>(i);
          try {
            tree.put(i, sums(shards[index]));
          } catch (...) {
            const std::lock_guard lock(mutex_);
            if (is_out_of_memory()) failed = std::min(failed.value_or(index), index);
            throw;
          }
        };
        run_tasks(workers, count, task, side_by_side);
        sums_.add(tree.take());
      }
    } catch (...) {
      if (!failed && !is_out_of_memory()) throw;
      return failed.value_or(first);
    }
    const double wall = lap(), worked = seconds_.forward + seconds_.backward;
    seconds_ = {.forward = wall * seconds_.forward / worked, .backward = wall * seconds_.backward / worked};
    return std::nullopt;
  }

  ShardSums& result() { return sums_; }
  const UpdateSeconds& seconds() const { return seconds_; }

 private:
  void run_tasks(Workers& workers, std::int64_t count, const std::function<void(std::int64_t)>& task,
                 bool side_by_side) const {
    if (model_->device().is_cpu() && side_by_side) return workers.run(count, task);
    for (std::int64_t i = 0; i < count; ++i) {
      if (model_->device().is_cpu())
        workers.run(1, [&](std::int64_t) { task(i); });
      else
        task(i);
    }
  }

  ShardSums sums(const Shard& shard) {
    ShardSums sum;
    if (shard.parts.front().source.empty()) return sum;
    for (std::size_t part = 0; part < shard.parts.size(); ++part)
      sum.add(sums(shard.parts[part], shard.number + (part == 0 ? 0 : kSecondHalf)));
    return sum;
  }

  // Forward and backward pass.
  ShardSums sums(const Batch& batch, std::uint32_t number) {
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
    seconds_.forward += forward;
    seconds_.backward += lap();
    return sum;
  }

  EncoderDecoder& model_;
  const std::vector<at::Tensor>& parameters_;
  const RandomStream& dropout_;
  const UpdateOptions& options_;
  std::mutex mutex_;       // guards what follows
  UpdateSeconds seconds_;  // summed over the workers
  ShardSums sums_;
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

// Returns the index of the last shard that can be split, or of the last one.
std::size_t last_to_split(const std::vector<Shard>& shards) {
  for (auto i = shards.size(); i-- > 0;)
    if (shards[i].parts.size() == 1 && shards[i].parts.front().source.size() > 1) return i;
  return shards.size() - 1;
}

// The sums over all shards. Sets the gradients of `adam`, and loss, norm and seconds of `result`. If memory runs out,
// the shards are computed one after the other, which gives the same bits; then shards are split until it suffices.
ShardSums sums_with_norm(EncoderDecoder& model, Adam& adam, Workers& workers, std::span<const Batch> batches,
                         const RandomStream& dropout, const UpdateOptions& options, UpdateResult& result) {
  auto shards = shards_of(batches, shards_of_batch(model, options));
  bool side_by_side = shards_of_batch(model, options) > 1;
  while (true) {
    Attempt attempt(model, adam.trained(), dropout, options);
    auto failed = attempt.run(workers, shards, side_by_side);
    if (!failed) {
      Lap lap;
      try {
        ShardSums sum = std::move(attempt.result());
        const auto norm = adam.set_gradients(std::move(sum.gradients));
        const auto numbers = at::stack({sum.nll, norm}).cpu();  // [2]
        result.nll_sum = numbers.const_data_ptr<double>()[0];
        result.gradient_norm = numbers.const_data_ptr<double>()[1];
        result.seconds = attempt.seconds();
        result.seconds.optimizer += lap();
        return sum;
      } catch (...) {
        if (!is_out_of_memory()) throw;
        failed = last_to_split(shards);
      }
    }
    adam.clear_gradients();
    release_cached_memory();
    if (!std::exchange(side_by_side, false)) split(shards[*failed], options.step);
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
  Attempt attempt(model, parameters, dropout, options);
  const auto shards = shards_of(batches, shards_of_batch(model, options));
  if (attempt.run(workers, shards, /*side_by_side=*/true)) throw std::bad_alloc();
  return std::move(attempt.result());
}

UpdateResult update_weights(EncoderDecoder& model, Adam& adam, Workers& workers, std::span<const Batch> batches,
                            const RandomStream& dropout, const UpdateOptions& options) {
  UpdateResult result;
  const ShardSums sum = sums_with_norm(model, adam, workers, batches, dropout, options, result);
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
