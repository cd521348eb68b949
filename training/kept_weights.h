#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "training/adam.h"
#include "training/checkpoint.h"
#include "training/training_config.h"
#include "training/training_state.h"

namespace gloss {

/// While an object lives, the model holds the EMA of its weights instead of the weights, if Adam keeps one. The
/// destructor restores the weights bit for bit.
class EmaWeights {
 public:
  /// With several processes, all must call it.
  explicit EmaWeights(const Adam& adam);
  ~EmaWeights();
  EmaWeights(const EmaWeights&) = delete;
  EmaWeights& operator=(const EmaWeights&) = delete;

 private:
  void exchange();

  std::vector<Adam::Ema> emas_;
  at::Tensor scratch_;  ///< size of the largest parameter; allocated in advance, so that restoring cannot fail
};

/// Replaces the weights by their EMA, if there is one. With several processes, all must call it.
void take_ema(const Adam& adam);

/// Sets the model's weights to those that a run ending at `state` keeps: with early stopping those of the best
/// validation; otherwise, with average_last, the mean of the last saves; otherwise the last ones. The EMA replaces the
/// weights if the run kept one. An unreadable checkpoint is skipped with a warning. Returns the steps of the weights:
/// one, or those of the mean.
std::vector<std::int64_t> keep_weights(const Adam& adam, const CheckpointFolder& folder, const TrainingConfig& config,
                                       const TrainingState& state);

}  // namespace gloss
