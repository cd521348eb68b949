#pragma once

#include "app/options/command_options.h"
#include "app/options/metric_flags.h"
#include "evaluation/scoring/metric_set.h"

namespace gloss {

/// The options that set values of metrics.
extern const OptionNames kMetricOptionNames;

/// Returns the settings of the metrics, with BLEU's tokenizer `unless_named` where no option names one. Throws
/// UsageError where a SentencePiece model is needed and missing, and as PieceCutter does.
MetricOptions metric_settings(const MetricFlags& flags, BleuTokenizer unless_named);

}  // namespace gloss
