#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include <c10/core/Device.h>

#include "model/storage/stored_weights.h"
#include "pipeline/models/translation_model.h"
#include "translation/line_translator.h"

namespace gloss {

/// Models that translate together, each token by the mean of their probabilities (decoding/scorers/ensemble_scorer.h).
/// Mostly there is one, and the ensemble is that model.
struct TranslationEnsemble {
  std::vector<TranslationModel> members;  ///< at least one

  /// Whose tokenizers, which all have, and whose settings hold.
  const TranslationModel& first() const { return members.front(); }
  /// The most tokens of a source, eos included: the least of the members'.
  std::int64_t max_source_length() const;
  /// Precisions are as TranslationModel::translator has them, each member's its own where none is wanted.
  LineTranslator translator(std::optional<WeightPrecision> wanted = std::nullopt) const;
};

/// Loads each as load_translation_model does. Throws UsageError where none is named, ModelError naming the file whose
/// tokenizers are not the first one's.
TranslationEnsemble load_translation_ensemble(std::span<const std::filesystem::path> files_or_folders,
                                              at::Device device);

}  // namespace gloss
