#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/config/json.h"
#include "data/batch_stream.h"
#include "data/parallel_corpus.h"
#include "run/config/run_config.h"
#include "run/estimate/text_lengths.h"

namespace gloss {

/// Length of a run in updates of the weights.
struct RunLength {
  std::int64_t updates_per_epoch = 0;        ///< of an epoch of the first stage
  std::optional<std::int64_t> updates = {};  ///< absent if only the clock ends the run
  double tokens = 0;                         ///< pieces and eos of all texts, both sides; 0: unknown
};

/// Returns the length of a run by its limits. `stages` has the batches of its epochs, from epoch 0; the last stage has
/// no end.
RunLength run_length(const TrainingConfig& config, std::span<const EpochsOfStage> stages);
/// Estimates the length of a run from the lengths of the text's sentences; zeros if `text` has none.
RunLength estimate_run_length(const RunConfig& config, const TextLengths& text);

/// Returns the number of pieces and eos of all pairs, both sides.
double count_tokens(const ParallelCorpus& corpus);
/// Returns the number of pieces of both vocabularies together.
std::int64_t pieces_of(const RunConfig& config, const Vocabularies& vocabularies);

/// Returns warnings about settings with which a run cannot succeed. These are a learning rate that peaks below 1e-6 or
/// above 0.02, a warm-up longer than half of the run, fewer than 1,000 updates of a new model, a stage that never
/// begins, and a vocabulary of rare pieces that the run chooses. `pieces` is the result of pieces_of. If
/// training.max_steps is at most 100, the run is a trial, and only the learning rate is checked.
std::vector<std::string> warnings_of(const RunConfig& config, const RunLength& length, std::int64_t pieces);

/// Returns "the learning rate peaks at 0.004, at update 400".
std::string peak_text(const RunConfig& config, const RunLength& length);
/// Returns a text such as "about 330 in an epoch, 13200 in the run".
std::string updates_text(const RunLength& length);
/// Returns {"updates_per_epoch", "updates"}; updates is null if only the clock ends the run.
Json to_json(const RunLength& length);

}  // namespace gloss
