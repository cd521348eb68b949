#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/batch_stream.h"
#include "model/encoder_decoder.h"
#include "pipeline/config/run_config.h"
#include "pipeline/estimate/run_length.h"
#include "training/training_state.h"

namespace gloss {

/// Length and duration of a run, before its first update.
class RunForecast {
 public:
  /// Times the model unless the run is very short; the model is unchanged. The time is that of `processes` processes.
  /// Throws Stopped after a signal.
  RunForecast(const RunConfig& config, const Vocabularies& vocabularies, const ParallelCorpus& corpus,
              const BatchStream& batches, EncoderDecoder& model, std::int64_t processes = 1);

  /// Warns of settings that cannot work (pipeline/estimate/run_length.h) and logs how long the rest of the run will
  /// take: "training will take about 12 min".
  void report(const TrainingState& state) const;

 private:
  const RunConfig* config_;
  RunLength length_;
  std::vector<std::string> warnings_;
  std::optional<double> epoch_seconds_;  ///< of an epoch of the first stage
};

}  // namespace gloss
