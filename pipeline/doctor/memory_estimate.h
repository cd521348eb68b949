#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>

#include "common/config/json.h"
#include "model/model_config.h"
#include "pipeline/doctor/trial_text.h"
#include "pipeline/run/run_config.h"

namespace gloss {

/// Memory and disk that training by a run file takes, in bytes.
struct TrainingNeeds {
  std::int64_t parameters = 0, trained_parameters = 0;
  std::int64_t weights = 0, gradients = 0, optimizer = 0;  ///< optimizer: Adam's means
  std::int64_t program = 0;  ///< memory of the process before there is a model, after LibTorch has started
  /// Additional memory of the phases of a run; 0 where there is no such phase, or it was not tried.
  std::int64_t tokenizer = 0;                                    ///< training it, before there are weights
  std::int64_t least_batches = 0;                                ///< the least that any training batch takes
  std::int64_t batches = 0;                                      ///< of data.batch_tokens, by trial
  std::int64_t validation = 0;                                   ///< greedy search, by trial
  std::int64_t test = 0;                                         ///< beam search, by trial
  std::int64_t average = 0;                                      ///< of checkpoints, or of taking the best one
  std::int64_t model_file = 0, checkpoint = 0, checkpoints = 0;  ///< checkpoints: how many files, one being written
  std::int64_t corpus_file = 0;                                  ///< corpus.cache
  bool tried = false;                                            ///< else batches, validation and test are not known
  std::string unknown =
      {};  ///< why lengths of sentences were guessed, or parts are left out; empty where they were not

  /// Memory of the phase that takes most; each phase frees its memory. A lower bound where nothing was tried.
  std::int64_t memory() const {
    const auto phase = std::max({least_batches, batches, validation, test, average});
    return program + std::max(tokenizer, weights + gradients + optimizer + phase);
  }
  std::int64_t disk() const { return model_file + checkpoint * checkpoints + corpus_file; }
};

/// The needs that are known without text and trial.
TrainingNeeds training_needs(const RunConfig& config, const Vocabularies& vocabularies);

/// Vocabularies and text of a run, as far as they are known before it begins.
struct ForeseenRun {
  Vocabularies vocabularies;  ///< of existing tokenizers, or else the largest that the run file allows
  TextLengths text;
};
/// Throws as configured_tokenizers.
ForeseenRun foresee(const RunConfig& config);

/// The needs that are known without a trial.
TrainingNeeds training_needs(const RunConfig& config, const ForeseenRun& run);

/// The same, and by trial on the CPU, with random weights and ids: forward and backward passes through some batches
/// from the whole range of lengths; greedy search up to decoding.max_length, since a model that has learned little does
/// not end a sentence; and beam search of the longest sentences. Searches use the scorer of a run's validations. With a
/// large model it tries smaller batches of two sizes and extrapolates to data.batch_tokens, so that the trial takes
/// less than a minute. The trial uses at most half of `memory`. Call it in a process that has not used much memory
/// before.
TrainingNeeds try_training(const RunConfig& config, const ForeseenRun& run, std::int64_t memory);

/// Free bytes where `folder` is, or would be made.
std::int64_t free_disk(const std::filesystem::path& folder);

Json to_json(const TrainingNeeds& needs);

}  // namespace gloss
