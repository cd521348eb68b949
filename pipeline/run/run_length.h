#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/config/json.h"
#include "data/parallel_corpus.h"
#include "pipeline/doctor/trial_text.h"
#include "pipeline/run/run_config.h"

namespace gloss {

/// Length of a run in updates of the weights.
struct RunLength {
  std::int64_t updates_per_epoch = 0;
  std::optional<std::int64_t> updates = {};  ///< absent where only the clock ends the run
  double tokens = 0;                         ///< pieces and eos of an epoch, both sides; 0: unknown
};

RunLength run_length(const TrainingConfig& config, std::int64_t batches_per_epoch);

/// An estimate from the lengths of the text's sentences; zeros where `text` has none.
RunLength estimate_run_length(const RunConfig& config, const TextLengths& text);

/// Number of pieces and eos of all pairs, both sides.
double count_tokens(const ParallelCorpus& corpus);

/// Number of pieces of both sides together.
std::int64_t pieces_of(const RunConfig& config, const Vocabularies& vocabularies);

/// Settings with which a run cannot succeed: a warm-up longer than half of the run, fewer than 1,000 updates, a
/// vocabulary of rare pieces. `pieces` as pieces_of. Empty where a run has at
/// most 100 updates by training.max_steps, since that is a trial.
std::vector<std::string> warnings_of(const RunConfig& config, const RunLength& length, std::int64_t pieces);

/// "about 330 in an epoch, 13200 in the run"
std::string updates_text(const RunLength& length);

/// {"updates_per_epoch", "updates"}; updates is null where only the clock ends the run.
Json to_json(const RunLength& length);

}  // namespace gloss
