#pragma once

#include <cstdint>
#include <filesystem>

#include "common/json.h"
#include "model/model_config.h"
#include "pipeline/run_config.h"

namespace gloss {

/// What training by a run file takes, in bytes.
struct TrainingNeeds {
  std::int64_t parameters = 0, trained_parameters = 0;
  std::int64_t weights = 0, gradients = 0, optimizer = 0;  ///< optimizer: Adam's means
  std::int64_t batch = 0;    ///< what a batch of data.batch_tokens takes beside, by trial; 0 where not tried
  std::int64_t program = 0;  ///< what the process holds before there is a model
  std::int64_t model_file = 0, checkpoint = 0, checkpoints = 0;  ///< checkpoints: how many files, one being written

  std::int64_t memory() const { return program + weights + gradients + optimizer + batch; }
  std::int64_t disk() const { return model_file + checkpoint * checkpoints; }
};

/// What can be known without a trial. The corpus in memory is left out.
TrainingNeeds training_needs(const RunConfig& config, const Vocabularies& vocabularies);

/// The same, and for `batch` the passes of a model with random weights over random sentences of 12 to 56 pieces are
/// tried on the processor: of data.batch_tokens, or where that would take more than some twenty seconds of two smaller
/// sizes, from which it is reckoned; the trial keeps to half of `memory`. For a process that has not done anything
/// large before.
TrainingNeeds try_training(const RunConfig& config, const Vocabularies& vocabularies, std::int64_t memory);

/// The vocabularies of a run: of tokenizer.model_file or training.start_from, or else the largest that the run file
/// allows. Throws as the tokenizers.
Vocabularies foreseen_vocabularies(const RunConfig& config);

/// Free bytes where `folder` is, or would be made.
std::int64_t free_disk(const std::filesystem::path& folder);

Json to_json(const TrainingNeeds& needs);

}  // namespace gloss
