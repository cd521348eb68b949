#pragma once

#include <optional>

#include "common/files/text_pairs.h"
#include "data/parallel_corpus.h"
#include "run/config/initial_weights.h"
#include "run/config/run_config.h"
#include "run/corpus_cache.h"
#include "run/run_folder.h"
#include "run/run_tokenizers.h"
#include "run/train_translate.h"
#include "run/validation.h"

namespace gloss {

/// Everything that a run reads before its first step.
struct RunInputs {
  InitialWeights initial;
  RunTokenizers tokenizers;
  CorpusCache cache;
  std::optional<Validator> validator;
  std::optional<LinePairs> test;

  const ParallelCorpus& corpus() const { return cache.corpus(); }
};

/// Reads the inputs of a run. Trains the tokenizers and encodes the texts if the folder does not have them. Cheap
/// checks come first: every file must be text with matching line counts before a tokenizer is trained. Throws the
/// errors of the parts, and Stopped after a signal.
RunInputs read_inputs(const TrainTranslateOptions& options, const RunFolder& folder);

/// Prints the notes of the options. read_inputs() calls it for a new run, after the texts were checked; a resumed run
/// prints them after the last check that can refuse it.
void print_notes(const TrainTranslateOptions& options);
/// Warns of odd texts and of a model to start from that does not suit them.
void warn_of_inputs(const RunInputs& inputs, const DataConfig& data);

/// Returns the values that must be equal to resume a run: settings_identity(), --plain, and the hashes of the training
/// corpus, the tokenizers and the validation set, if there is one; with several texts, their numbers of pairs. (The
/// validation set decides which checkpoint is the best and when early stopping ends the run.) Limits of the run and the
/// intervals of validations, saves and reports may change.
Json run_identity(const RunConfig& config, const RunTokenizers& tokenizers, const ParallelCorpus& corpus,
                  const std::optional<Validator>& validator);

}  // namespace gloss
