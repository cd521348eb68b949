#pragma once

#include <optional>

#include "data/parallel_corpus.h"
#include "model/encoder_decoder.h"
#include "pipeline/run/run_config.h"

namespace gloss {

/// Estimates the seconds that training takes for an epoch, without validations and saves: times forward and backward
/// passes of `model` through sentences of middle length for about half a second, of a large model for some seconds.
/// Leaves the model as it was. Absent where memory does not suffice for the trial. Throws Stopped where a signal asks
/// for an end.
std::optional<double> estimate_epoch_seconds(EncoderDecoder& model, const ParallelCorpus& corpus,
                                             const RunConfig& config);

}  // namespace gloss
