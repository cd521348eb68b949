#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "common/random.h"
#include "data/batch.h"
#include "model/encoder_decoder.h"
#include "tensor/workers.h"
#include "training/batch_loss.h"
#include "training/gradients.h"
#include "training/processes/exchange.h"
#include "training/training_config.h"

namespace gloss {

/// Settings of one update.
struct UpdateOptions {
  std::int64_t step = 1;  ///< number of the update, from 1
  double learning_rate = 0;
  double label_smoothing = 0;
  double clip_norm = 0;                       ///< 0: not clipped
  Precision precision = Precision::kFloat32;  ///< of the factors of matrix products
  std::int64_t shards = 1;                    ///< parts of a batch; on a GPU one per process
  Int8Scales int8 = Int8Scales::kNone;        ///< Pass::int8
  GuidedAlignment guided = {};                ///< of batches with links
  bool plain = false;                         ///< Pass::plain
  /// The results of pad_own_shard for the first batches, if the shards were padded ahead on a GPU; may be empty.
  std::span<const PaddedBatch> padded = {};
  /// Called while a GPU works, before the host waits for it; must not throw, may be empty. Not called on the CPU.
  std::function<void()> meanwhile = {};
};

/// Time of the phases of an update, in seconds. The time in which some workers go forward and others backward is
/// divided in proportion to the sums of their times. A GPU works asynchronously; a phase may include only its launch.
struct UpdateSeconds {
  double forward = 0, backward = 0, optimizer = 0;
};

/// A stopwatch: returns the seconds since the last call, at first since its construction.
class Lap {
 public:
  double operator()() {
    const auto before = std::exchange(last_, std::chrono::steady_clock::now());
    return std::chrono::duration<double>(last_ - before).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// The shards of the batches of an update and the passes through them. If memory runs out in a shard, the shards that
/// follow go one after the other, which takes less memory and gives the same bits; then shards are split.
class ShardPasses {
 public:
  /// Cuts the batches into shards, on a GPU into one for each of `processes`. All arguments but `batches` must outlive
  /// the passes.
  ShardPasses(EncoderDecoder& model, const std::vector<at::Tensor>& parameters, Workers& workers,
              std::span<const Batch> batches, const RandomStream& dropout, const UpdateOptions& options,
              std::int64_t processes = 1);

  std::int64_t batches() const { return std::ssize(shards_) / count_; }
  std::int64_t shards() const { return count_; }  ///< of each batch

  /// Goes through the shards of some nodes of a batch's tree, forward and backward, and returns the sum of each node.
  /// Throws OutOfMemoryError if memory runs out even for a half.
  std::vector<ShardSums> sums(std::int64_t batch, const std::vector<ShardNode>& nodes);
  /// Computes the same as `sums`, without a second attempt. Returns nothing if memory runs out; `failed` is then the
  /// first such shard.
  std::optional<std::vector<ShardSums>> try_sums(std::int64_t batch, const std::vector<ShardNode>& nodes,
                                                 std::size_t& failed);

  /// Takes less memory from now on, after it ran out in the computation of the norm.
  void retry_after_norm() { retry(last_to_split()); }

  /// Returns the time of the passes.
  UpdateSeconds seconds() const;

 private:
  /// A shard of a batch, or its halves if memory ran out.
  struct Shard {
    std::uint32_t number;  ///< of its dropout
    std::vector<Batch> parts;
  };

  void run_tasks(std::int64_t count, const std::function<void(std::int64_t)>& task) const;
  ShardSums sums(const Shard& shard);
  ShardSums sums(const PaddedBatch& batch, std::uint32_t number);
  void retry(std::size_t failed);
  void split(Shard& shard) const;
  std::size_t last_to_split() const;

  EncoderDecoder& model_;
  const std::vector<at::Tensor>& parameters_;
  Workers& workers_;
  const RandomStream& dropout_;
  const UpdateOptions& options_;
  std::int64_t count_;  ///< shards of each batch
  bool side_by_side_;
  std::vector<Shard> shards_;  ///< batch by batch
  double wall_ = 0;
  std::mutex mutex_;                   ///< guards the members below
  double forward_ = 0, backward_ = 0;  ///< summed over the workers
};

/// Pads the one shard of a batch that this process computes on a GPU, and copies it there without waiting.
PaddedBatch pad_own_shard(const Batch& batch, at::Device gpu, const Exchange& exchange);

/// Goes through the shards of `batches` as `update_weights` does, forward and backward, for the gradients of
/// `parameters`. For trials of time and memory. Throws std::bad_alloc if memory runs out.
ShardSums sum_over_shards(EncoderDecoder& model, const std::vector<at::Tensor>& parameters, Workers& workers,
                          std::span<const Batch> batches, const RandomStream& dropout, const UpdateOptions& options);

}  // namespace gloss
