#pragma once

#include <optional>

#include "data/parallel_corpus.h"
#include "model/encoder_decoder.h"
#include "pipeline/config/run_config.h"

namespace gloss {

/// Estimates the seconds of training with each pair of the corpus once, without validations and saves. It times forward
/// and backward passes of `model` through sentences of middle length, for about half a second, or some seconds for a
/// large model. The model is unchanged. The result is absent if memory does not suffice. Throws Stopped after a signal.
std::optional<double> estimate_epoch_seconds(EncoderDecoder& model, const ParallelCorpus& corpus,
                                             const RunConfig& config);

}  // namespace gloss
