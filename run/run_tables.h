#pragma once

#include <string>

#include "common/config/json.h"

namespace gloss {

/// Returns the curves of a document of runs (run_curves.h) as CSV (RFC 4180): a line for each step and kind, with the
/// columns run, kind ("training" or "validation"), step, and those of both kinds; a value that a kind lacks is empty.
std::string run_csv(const Json& document);

/// Returns the curves of one run of the document as a file of events for TensorBoard: length-delimited records with
/// masked CRC-32C sums (TFRecord), each with an `Event` of tensorflow/core/util/event.proto. The tags are
/// "training/loss", "validation/bleu" and so on.
std::string tensorboard_events(const Json& run);

}  // namespace gloss
