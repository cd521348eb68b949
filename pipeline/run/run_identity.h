#pragma once

#include <optional>

#include "data/parallel_corpus.h"
#include "pipeline/run/run_config.h"
#include "pipeline/run/run_tokenizers.h"
#include "pipeline/run/validation.h"

namespace gloss {

/// Values that must be equal for a run to be resumed: settings_identity() and the hashes of the training corpus, of the
/// tokenizers and, where there is one, of the validation set, which decides which checkpoint is the best and where
/// early stopping ends the run. --plain is one of them.
/// How long to train, and how often to validate, to save and to report, may change.
Json run_identity(const RunConfig& config, const RunTokenizers& tokenizers, const ParallelCorpus& corpus,
                  const std::optional<Validator>& validator);

}  // namespace gloss
