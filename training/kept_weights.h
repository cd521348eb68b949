#pragma once

#include <cstdint>
#include <vector>

#include "training/adam.h"
#include "training/checkpoint.h"
#include "training/training_config.h"
#include "training/training_state.h"

namespace gloss {

/// Sets the model's weights to those that a run ending at `state` keeps: with early stopping those of the best
/// validation; otherwise, with average_last, the mean of the last saves; otherwise the last ones. The EMA replaces the
/// weights if the run kept one. An unreadable checkpoint is skipped with a warning. Returns the steps of the weights:
/// one, or those of the mean.
std::vector<std::int64_t> keep_weights(const Adam& adam, const CheckpointFolder& folder, const TrainingConfig& config,
                                       const TrainingState& state);

}  // namespace gloss
