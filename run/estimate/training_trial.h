#pragma once

#include <cstdint>

#include "run/config/run_config.h"
#include "run/estimate/training_needs.h"

namespace gloss {

/// Returns all needs. `batches` is the measured peak of three updates of random weights on the CPU, among them one by
/// the largest batch. The updates get at most `memory` more bytes. If that does not suffice, `tried` is false, and
/// `batches` is a lower bound. Call it in a process that has used little memory before.
TrainingNeeds try_training(const RunConfig& config, const ForeseenRun& run, std::int64_t memory);

}  // namespace gloss
