#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/batch_stream.h"
#include "data/parallel_corpus.h"
#include "model/encoder_decoder.h"
#include "run/config/run_config.h"
#include "run/estimate/run_length.h"
#include "training/training_state.h"

namespace gloss {

/// Estimates the seconds of training with each pair of the corpus once, without validations and saves. It times forward
/// and backward passes of `model` through sentences of middle length, for about half a second, or some seconds for a
/// large model. The model is unchanged. The result is absent if memory does not suffice. Throws Stopped after a signal.
std::optional<double> estimate_epoch_seconds(EncoderDecoder& model, const ParallelCorpus& corpus,
                                             const RunConfig& config);

/// Processes of a run on CPUs, each with the same number of threads.
struct ProcessCounts {
  std::int64_t processes = 1;
  std::int64_t on_machine = 1;  ///< of them, on this machine
  std::int64_t threads = 1;
  std::int64_t processors = 1;  ///< of this machine
};

/// Returns the time of an update of `shards` shards as a share of the time that one of the processes alone takes, which
/// estimate_epoch_seconds measures.
double share_of_time(std::int64_t shards, const ProcessCounts& counts);

/// Length and duration of a run, before its first update.
class RunForecast {
 public:
  /// Times the model unless the run is very short; the model is unchanged. `share_of_time`: of the measured time, that
  /// all processes together take (share_of_time()). Throws Stopped after a signal.
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
