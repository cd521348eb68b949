#pragma once

#include "data/parallel_corpus.h"
#include "pipeline/run_config.h"
#include "pipeline/run_tokenizers.h"

namespace gloss {

/// What must be equal for a run to be resumed: the settings that shape the weights, by dotted key, and the hashes of
/// the training corpus and of the tokenizers. How long to train, and how often to look, to save and to report, may
/// change.
Json run_identity(const RunConfig& config, const RunTokenizers& tokenizers, const ParallelCorpus& corpus);

}  // namespace gloss
