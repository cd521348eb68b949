#pragma once

#include <optional>

#include "training/training_config.h"
#include "training/training_state.h"

namespace gloss {

/// What a validation found. Made by the caller of the trainer, who knows search and scores; one that ends by Stopped
/// (common/system/stop.h) counts as not made.
struct Validation {
  double loss = 0;  ///< plain negative log-likelihood a token
  std::optional<double> bleu;
};

/// Notes that `state`.step was validated, and whether it is the best step so far: by a BLEU that is higher, a loss or
/// perplexity that is lower. What is missing or no finite number is never better. Throws UsageError where the run is to
/// stop by BLEU and there is none.
void note_validation(TrainingState& state, const Validation& validation, const TrainingConfig::EarlyStop& early_stop);

}  // namespace gloss
