#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/config/json.h"
#include "evaluation/bleu/bleu.h"
#include "model/encoder_decoder.h"
#include "run/config/run_config.h"
#include "run/run_folder.h"
#include "run/run_inputs.h"
#include "run/run_validation.h"

namespace gloss {

/// Progress of a run.
struct RunProgress {
  std::int64_t steps = 0, epochs = 0;
  std::vector<std::int64_t> kept_steps;  ///< of the weights
  const Json* hashes;                    ///< of the inputs of the run
};

/// Writes the model, with its scores, and returns the score on the test set, if there is one. The model is in the
/// folder before the test set is translated. `validation` may be null.
std::optional<Bleu> write_and_score(const RunConfig& config, const RunInputs& inputs, RunFolder& folder,
                                    EncoderDecoder& model, const RunProgress& progress, RunValidation* validation,
                                    TrainingLens& lens);

}  // namespace gloss
