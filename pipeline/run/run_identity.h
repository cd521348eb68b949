#pragma once

#include <optional>

#include "data/parallel_corpus.h"
#include "pipeline/run/run_config.h"
#include "pipeline/run/run_tokenizers.h"
#include "pipeline/run/validation.h"

namespace gloss {

/// What must be equal for a run to be resumed: the settings that shape the weights, by dotted key, and the hashes of
/// the training corpus, of the tokenizers and, where there is one, of the validation set, which says which checkpoint
/// is the best and where early stopping ends the run; beside it stand the settings of decoding that greedy validation
/// heeds. How long to train, and how often to look, to save and to report, may change.
Json run_identity(const RunConfig& config, const RunTokenizers& tokenizers, const ParallelCorpus& corpus,
                  const std::optional<Validator>& validator);

/// What of it the run file alone says.
Json settings_identity(const RunConfig& config);

}  // namespace gloss
