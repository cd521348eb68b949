#pragma once

#include <cstdint>
#include <optional>

#include "data/parallel_corpus.h"
#include "model/encoder_decoder.h"
#include "run/config/run_config.h"

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

}  // namespace gloss
