#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <c10/core/Device.h>

#include "evaluation/bleu/bleu.h"
#include "run/config/run_config.h"
#include "run/config/training_texts.h"
#include "run/run_validation.h"
#include "training/processes/exchange.h"
#include "training/trainer.h"

namespace gloss {

struct TrainTranslateOptions {
  RunConfig config;
  std::shared_ptr<TrainingTexts> texts = {};  ///< the training texts, if they were read before
  std::filesystem::path out;                  ///< the run folder; made if it is missing
  bool resume = false;     ///< continue from the newest checkpoint, or from the start if there is none
  bool overwrite = false;  ///< remove the files of an earlier run in the folder
  at::Device device = at::kCPU;
  int threads = 1;                      ///< as set_up_runtime returned
  Exchange* exchange = &no_exchange();  ///< the other processes of the run, which have the same options
  std::int64_t local_processes = 1;     ///< of all processes, those on this machine
  std::size_t samples = 1;              ///< samples of each validation to print on stderr
  std::vector<std::string> notes = {};  ///< logged when the folder can be used
  DescribeSentence describe = {};       ///< needed with lens.sentences
  std::string resume_options = {};      ///< repeated by the printed --resume command, such as " --threads 1"
};

struct TrainTranslateResult {
  TrainingEnd end = TrainingEnd::kFinished;
  std::int64_t steps = 0;
  std::optional<Bleu> test;  ///< absent without a test set, or if the run was stopped
  bool resumable = false;    ///< the folder holds the configuration of this run
};

/// Trains a translator from two aligned text files: tokenizer, corpora, model, training, model.safetensors, and the
/// score on the test set. The run folder also holds checkpoints/, log.jsonl, config.json and the tokenizers. Errors in
/// the configuration, the folder or the corpora are reported before the first step. Throws UsageError if the folder is
/// used and neither resume nor overwrite is set, LockedError if another run holds it, and the errors of the parts.
///
/// Of several processes, process 0 reads the texts first and writes the folder, which the others read. It alone scores
/// the final model and has a result of the test.
TrainTranslateResult train_translate(const TrainTranslateOptions& options);

}  // namespace gloss
