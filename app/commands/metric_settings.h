#pragma once

#include "app/options/command_options.h"
#include "app/options/metric_flags.h"
#include "evaluation/scoring/metric_set.h"

namespace gloss {

/// The options of the metrics, by the keys in UsageError.
extern const OptionNames kMetricOptionNames;

/// Returns the settings of the metrics. BLEU's tokenizer is `unless_named` if no option names one. Throws UsageError if
/// a SentencePiece model is needed and missing, and as PieceCutter does.
MetricOptions metric_settings(const MetricFlags& flags, BleuTokenizer unless_named);

}  // namespace gloss
