#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/encoder_decoder.h"
#include "run/run_folder.h"
#include "run/training_lens.h"
#include "run/validation.h"
#include "training/trainer.h"

namespace gloss {

/// Validates the models of a run, reports the scores and writes the lens of lens.sentences. Keeps the last report, so
/// that the final model is not scored twice. The validator, the folder, the lens and the exchange outlive it. Of
/// several processes, all validate and process 0 reports.
class RunValidation {
 public:
  /// Prints `samples` samples of each validation; `max_length`: data.max_length.
  RunValidation(const Validator& validator, RunFolder& folder, TrainingLens& lens, std::size_t samples,
                std::int64_t max_length, Exchange& exchange)
      : validator_(&validator),
        folder_(&folder),
        lens_(&lens),
        samples_(samples),
        max_length_(max_length),
        exchange_(&exchange) {}

  /// Scores the model after update `step` and reports a validation. Throws Stopped if a signal asks for an end.
  Validation validate(EncoderDecoder& model, std::int64_t step);
  /// Prints the best validations so far after a validation that is not the best, and once a hint if the loss has not
  /// fallen for a third of the run.
  void report_best(const TrainingState& state, std::int64_t last_step);
  /// Reports the model that the run ends with, whose weights are those of `steps` or their mean. Only process 0 calls
  /// it. Throws as validate.
  const ValidationReport& validate_final(EncoderDecoder& model, const std::vector<std::int64_t>& steps);

  /// Returns the scores of the last model that was scored.
  const Validation& last() const { return last_.scores; }

 private:
  void score(EncoderDecoder& model, Exchange& exchange);

  const Validator* validator_;
  RunFolder* folder_;
  TrainingLens* lens_;
  std::size_t samples_;
  std::int64_t max_length_;
  Exchange* exchange_;
  bool warned_ = false, hinted_ = false;
  std::int64_t step_ = -1;
  ValidationReport last_;  // of that step
};

}  // namespace gloss
