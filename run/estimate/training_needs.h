#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "common/config/json.h"
#include "model/model_config.h"
#include "run/config/run_config.h"
#include "run/estimate/text_lengths.h"

namespace gloss {

/// Memory and disk that training by a run file takes, in bytes.
struct TrainingNeeds {
  std::int64_t parameters = 0, trained_parameters = 0;
  std::int64_t weights = 0, gradients = 0, optimizer = 0;  ///< optimizer: Adam's means
  std::int64_t program = 0;  ///< memory of the process before the model is made, after LibTorch has started
  /// Additional memory of the phases of a run; 0 if there is no such phase, or if it was not tried.
  std::int64_t tokenizer = 0;    ///< training of a tokenizer, before the model is made
  std::int64_t min_batches = 0;  ///< lower bound for any training batch
  std::int64_t batches = 0;      ///< the largest batch, measured; more than this if memory ran out (`tried` is false)
  std::int64_t validation = 0;   ///< greedy search
  std::int64_t test = 0;         ///< beam search
  std::int64_t average = 0;      ///< average of checkpoints, or loading of the best one
  std::int64_t model_file = 0, checkpoint = 0;
  std::int64_t checkpoints = 0;  ///< number of files, including the one being written
  std::int64_t corpus_file = 0;  ///< corpus.cache
  bool tried = false;            ///< false: batches are not measured, or memory ran out
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

Json to_json(const TrainingNeeds& needs);

/// Returns all needs. `batches` is the measured peak of three updates of random weights on the CPU, among them one by
/// the largest batch. The updates get at most `memory` more bytes. If that does not suffice, `tried` is false, and
/// `batches` is a lower bound. Call it in a process that has used little memory before.
TrainingNeeds try_training(const RunConfig& config, const ForeseenRun& run, std::int64_t memory);

}  // namespace gloss
