#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/encoder_decoder.h"
#include "run/config/run_config.h"
#include "run/run_folder.h"
#include "run/run_tokenizers.h"
#include "run/validation.h"
#include "training/trainer.h"
#include "translation/line_translator.h"

namespace gloss {

/// Returns the item of a sentence as a model that is being trained translates it (explain/lens_item.h). The translator
/// searches with `network`.
using DescribeSentence = std::function<Json(
    EncoderDecoder network, const ModelConfig& config, const LineTranslator& translator, const Tokenizer& source,
    const Tokenizer& target, const std::string& text, const DecodingConfig& decoding)>;

/// Shows how the same sentences (lens.sentences) are translated while a model is trained. It writes their attention
/// maps and translations to lens.jsonl, and changes neither weights nor random numbers. The folder outlives it.
class TrainingLens {
 public:
  /// Encodes the sentences. Throws UsageError with the key if a sentence has no piece.
  TrainingLens(const RunConfig& config, const RunTokenizers& tokenizers, RunFolder& folder, DescribeSentence describe);

  /// Translates each sentence with `model`, whose weights are those of `steps` or their mean, and writes a line for the
  /// last of the steps. Does nothing if the previous call had the same steps. Throws Stopped after a signal.
  void record(const EncoderDecoder& model, const std::vector<std::int64_t>& steps);

 private:
  RunConfig config_;
  std::shared_ptr<const Tokenizer> source_, target_;
  RunFolder* folder_;
  DescribeSentence describe_;
  std::vector<std::int64_t> steps_;  ///< of the previous call
};

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
