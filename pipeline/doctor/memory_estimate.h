#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>

#include "common/config/json.h"
#include "model/model_config.h"
#include "pipeline/config/run_config.h"
#include "pipeline/doctor/trial_text.h"

namespace gloss {

/// Operations of training for each weight and token: forward and backward passes, encoder and decoder.
inline constexpr double kOperationsPerWeight = 12;

/// Memory and disk that training by a run file takes, in bytes.
struct TrainingNeeds {
  std::int64_t parameters = 0, trained_parameters = 0;
  std::int64_t weights = 0, gradients = 0, optimizer = 0;  ///< optimizer: Adam's means
  std::int64_t program = 0;  ///< memory of the process before the model is made, after LibTorch has started
  /// Additional memory of the phases of a run; 0 if there is no such phase, or if it was not tried.
  std::int64_t tokenizer = 0;    ///< training of a tokenizer, before the model is made
  std::int64_t min_batches = 0;  ///< lower bound for any training batch
  std::int64_t batches = 0;      ///< batches of data.batch_tokens, by trial
  std::int64_t validation = 0;   ///< greedy search, by trial
  std::int64_t test = 0;         ///< beam search, by trial
  std::int64_t average = 0;      ///< average of checkpoints, or loading of the best one
  std::int64_t model_file = 0, checkpoint = 0;
  std::int64_t checkpoints = 0;  ///< number of files, including the one being written
  std::int64_t corpus_file = 0;  ///< corpus.cache
  bool tried = false;            ///< false: batches, validation and test are unknown
  std::string unknown = {};      ///< the reason if lengths of sentences were guessed or parts are left out, else empty

  /// Returns the memory of the largest phase; each phase frees its memory. A lower bound if nothing was tried.
  std::int64_t memory() const {
    const auto phase = std::max({min_batches, batches, validation, test, average});
    return program + std::max(tokenizer, weights + gradients + optimizer + phase);
  }
  std::int64_t disk() const { return model_file + checkpoint * checkpoints + corpus_file; }
};

/// Returns the needs that are known without text and trial.
TrainingNeeds training_needs(const RunConfig& config, const Vocabularies& vocabularies);

/// Vocabularies and text of a run, as far as they are known before it begins.
struct ForeseenRun {
  Vocabularies vocabularies;  ///< of existing tokenizers, otherwise the largest that the run file allows
  TextLengths text;
};
/// Reads tokenizers and the beginning of the texts. Throws as configured_tokenizers.
ForeseenRun foresee(const RunConfig& config);

/// Returns the needs that are known without a trial.
TrainingNeeds training_needs(const RunConfig& config, const ForeseenRun& run);

/// Returns all needs, measured by trial on the CPU with random weights and ids:
/// - forward and backward passes through some batches from the whole range of lengths;
/// - greedy search up to decoding.max_length, since a model that has learned little does not end a sentence;
/// - beam search of the longest sentences. Searches use the scorer of a run's validations.
///
/// With a large model it tries smaller batches of two sizes and extrapolates to data.batch_tokens, so that the trial
/// takes less than a minute. The trial uses at most half of `memory` (bytes). Call it in a process that has used little
/// memory before.
TrainingNeeds try_training(const RunConfig& config, const ForeseenRun& run, std::int64_t memory);

/// Returns the free bytes of the file system of `folder`, which may not exist yet.
std::int64_t free_disk(const std::filesystem::path& folder);

Json to_json(const TrainingNeeds& needs);

}  // namespace gloss
