#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/batch_stream.h"
#include "model/encoder_decoder.h"
#include "run/config/run_config.h"
#include "run/estimate/run_length.h"
#include "training/training_state.h"

namespace gloss {

/// Length and duration of a run, before its first update.
class RunForecast {
 public:
  /// Times the model unless the run is very short; the model is unchanged. `share_of_time`: of the measured time, that
  /// all processes together take (run/estimate/training_time.h). Throws Stopped after a signal.
  RunForecast(const RunConfig& config, const Vocabularies& vocabularies, const ParallelCorpus& corpus,
              const BatchStream& batches, EncoderDecoder& model, double share_of_time = 1);

  /// Warns of settings that cannot work (run/estimate/run_length.h) and logs how long the rest of the run will
  /// take: "training will take about 12 min".
  void report(const TrainingState& state) const;

 private:
  const RunConfig* config_;
  RunLength length_;
  std::vector<std::string> warnings_;
  std::optional<double> epoch_seconds_;  ///< of an epoch of the first stage
};

}  // namespace gloss
