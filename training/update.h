#pragma once

#include <cstdint>
#include <span>

#include "common/random.h"
#include "data/batch.h"
#include "model/encoder_decoder.h"
#include "tensor/workers.h"
#include "training/adam.h"
#include "training/gradient_exchange.h"
#include "training/shard_passes.h"

namespace gloss {

/// Result of one update.
struct UpdateResult {
  bool applied = true;  ///< false if the loss or the gradient was not finite: no weight was changed
  double nll_sum = 0;   ///< negative log-likelihood of all target tokens, without smoothing
  std::int64_t tokens = 0;
  double gradient_norm = 0;  ///< before clipping
  UpdateSeconds seconds = {};
};

/// Updates the weights once, by the gradient of the mean smoothed loss over the tokens of all `batches`. Each batch is
/// cut into shards (data/batch.h). A worker goes through a shard on one thread, forward and backward; the gradients
/// are summed in a fixed order (ShardTree). So the bits depend on the number of shards, but not on that of the workers.
/// Dropout is drawn from `dropout` at (step, index of the shard among those of all batches). A GPU is waited for once,
/// after all its work is handed to it: loss and norm are read with one copy. It skips an update that is not finite by
/// itself. One of several processes also waits for the loss of each batch.
///
/// If memory runs out in a shard or in the computation of the norm, the caching allocator frees its blocks, and the
/// batch (for the norm, the update) starts again with one shard after the other, which takes less memory and gives the
/// same bits. If that does not suffice, it starts again with that shard (the last one, for the norm) in two halves. The
/// sum over the tokens stays the same. The first half draws its dropout at the shard's index, the second at 2^31 more.
/// A warning reports the split. Throws OutOfMemoryError if a half does not fit, or a shard of one sentence; the weights
/// are then unchanged.
///
/// `gradient_exchange`, if not null: the exchange with other processes, which call this for the same batches. Each
/// computes its nodes of the batch's tree. If memory runs out in the computation of the norm, the exception is
/// rethrown.
UpdateResult update_weights(EncoderDecoder& model, Adam& adam, Workers& workers, std::span<const Batch> batches,
                            const RandomStream& dropout, const UpdateOptions& options,
                            GradientExchange* gradient_exchange = nullptr);

}  // namespace gloss
