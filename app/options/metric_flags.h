#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "evaluation/scoring/metric_set.h"

namespace CLI {
class App;
}

namespace gloss {

/// Values of the options of metrics, which are sacreBLEU's.
struct MetricFlags {
  std::vector<MetricKind> metrics;  ///< each once; empty: BLEU
  MetricOptions settings;           ///< without BLEU's tokenizer
  std::optional<std::string> tokenize;
  std::optional<std::filesystem::path> spm_model;
  bool force = false;  ///< no warning of text that looks tokenized

  bool names_tokenizer() const { return tokenize || spm_model; }
};

/// Adds the options of metrics.
void add_metric_flags(CLI::App& command, MetricFlags& flags);

}  // namespace gloss
