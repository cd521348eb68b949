#pragma once

#include <cstdint>
#include <vector>

#include "training/adam.h"
#include "training/checkpoint.h"
#include "training/training_config.h"
#include "training/training_state.h"

namespace gloss {

/// Leaves the weights in the model that a run which ended at `state` is to keep: with early stopping those of the best
/// validation, else the mean of the last saves where average_last asks for it, else the last; everywhere the moving
/// means of the weights in their place, where the run kept them. A checkpoint that cannot be read is warned of and left
/// out. Returns the steps of the weights: one, or those of the mean.
std::vector<std::int64_t> keep_weights(const Adam& adam, const CheckpointFolder& folder, const TrainingConfig& config,
                                       const TrainingState& state);

}  // namespace gloss
