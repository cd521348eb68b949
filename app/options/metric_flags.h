#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evaluation/scoring/metric_set.h"

namespace CLI {
class App;
}

namespace gloss {

/// A tokenizer of sacreBLEU that is a SentencePiece model.
struct PublishedModel {
  std::string_view name, signature, file;  ///< `file` in the folder of models that sacreBLEU has downloaded
};
inline constexpr std::array<PublishedModel, 4> kPublishedModels{
    {{"spm", "flores101", "sacrebleu_tokenizer_spm.model"},
     {"flores101", "flores101", "sacrebleu_tokenizer_spm.model"},
     {"flores200", "flores200", "flores200sacrebleuspm"},
     {"spBLEU-1K", "spBLEU-1K", "spbleu-1k_tokenizer_spm.model"}}};

/// Returns the tokenizer of this name, or null if there is none.
inline const PublishedModel* published_model(std::string_view name) {
  const auto* model = std::ranges::find(kPublishedModels, name, &PublishedModel::name);
  return model == kPublishedModels.end() ? nullptr : model;
}

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
