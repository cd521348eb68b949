#pragma once

#include <cstdint>

#include "run/config/run_config.h"
#include "run/estimate/training_needs.h"

namespace gloss {

/// Returns all needs, measured by trial on the CPU with random weights and ids:
/// - forward and backward passes through some batches from the whole range of lengths;
/// - greedy search up to decoding.max_length, since a model that has learned little does not end a sentence;
/// - beam search of the longest sentences. Searches use the scorer of a run's validations.
///
/// With a large model it tries smaller batches of two sizes and extrapolates to data.batch_tokens, so that the trial
/// takes less than a minute. The trial uses at most half of `memory` (bytes). Call it in a process that has used little
/// memory before.
TrainingNeeds try_training(const RunConfig& config, const ForeseenRun& run, std::int64_t memory);

}  // namespace gloss
