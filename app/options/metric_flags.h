#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/command_options.h"
#include "evaluation/metric_set.h"

namespace CLI {
class App;
}

namespace gloss {

/// What the options of `gloss evaluate` say of the metrics; they are sacreBLEU's.
struct MetricFlags {
  std::vector<MetricKind> metrics;  ///< each once; none: BLEU
  MetricOptions settings;           ///< but for BLEU's tokenizer
  std::optional<std::string> tokenize;
  std::optional<std::filesystem::path> spm_model;
  bool force = false;  ///< no warning of text that looks tokenized

  bool names_tokenizer() const { return tokenize || spm_model; }
};

/// The options that settings of metrics come from.
extern const OptionNames kMetricOptionNames;

void add_metric_flags(CLI::App& command, MetricFlags& flags);

/// The settings with BLEU's tokenizer, `unless_said` where none is named. Throws UsageError where a SentencePiece model
/// is wanted and not there, and as PieceCutter does.
MetricOptions metric_settings(const MetricFlags& flags, BleuTokenizer unless_said);

}  // namespace gloss
