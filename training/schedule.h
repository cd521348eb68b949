#pragma once

#include <cstdint>

#include "training/training_config.h"

namespace gloss {

/// Returns the learning rate of update `step`, from 1.
///
///     noam          learning_rate * d_model^-0.5 * min(step^-0.5, step * warmup^-1.5)     (section 5.3)
///     inverse_sqrt  learning_rate * min(step / warmup, sqrt(warmup / step))
///     constant      learning_rate
double learning_rate(const TrainingConfig& config, std::int64_t d_model, std::int64_t step);

/// Returns the first update with the highest learning rate of a run of `updates` updates, at least 1.
std::int64_t peak_step(const TrainingConfig& config, std::int64_t updates);

}  // namespace gloss
