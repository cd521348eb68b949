#pragma once

#include <optional>

#include "data/parallel_corpus.h"
#include "run/config/run_config.h"
#include "run/run_tokenizers.h"
#include "run/validation.h"

namespace gloss {

/// Returns the values that must be equal to resume a run: settings_identity(), --plain, and the hashes of the training
/// corpus, the tokenizers and the validation set, if there is one; with several texts, their numbers of pairs. (The
/// validation set decides which checkpoint is the best and when early stopping ends the run.) Limits of the run and the
/// intervals of validations, saves and reports may change.
Json run_identity(const RunConfig& config, const RunTokenizers& tokenizers, const ParallelCorpus& corpus,
                  const std::optional<Validator>& validator);

}  // namespace gloss
