#pragma once

#include <optional>

#include "training/training_config.h"
#include "training/training_state.h"

namespace gloss {

/// The result of a validation, computed by the caller of the trainer, which has the search and the metrics. A
/// validation that throws Stopped (common/system/stop.h) does not count.
struct Validation {
  double loss = 0;  ///< negative log-likelihood per token, without smoothing
  std::optional<double> bleu;
};

/// Records the validation of `state`.step, and whether it is the best so far: higher BLEU, or lower loss or perplexity.
/// A missing or non-finite value is never better. Step 0, the model that a run starts from, does not count as a
/// checkpoint. Throws UsageError if early stopping uses BLEU and there is none.
void note_validation(TrainingState& state, const Validation& validation, const TrainingConfig::EarlyStop& early_stop);

}  // namespace gloss
