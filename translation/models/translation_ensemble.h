#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include <c10/core/Device.h>

#include "model/storage/stored_weights.h"
#include "translation/line_translator.h"
#include "translation/models/translation_model.h"

namespace gloss {

/// One or more models that translate together: the probability of a token is the mean of theirs
/// (decoding/scorers/ensemble_scorer.h).
struct TranslationEnsemble {
  std::vector<TranslationModel> members;  ///< at least one

  /// Returns the model whose settings are used and whose attention gives the alignments. All members have its
  /// tokenizers.
  const TranslationModel& first() const { return members.front(); }
  /// Returns the maximum number of source tokens, eos included: the least of the members'.
  std::int64_t max_source_length() const;
  /// Returns whether `precision` has no effect on some members, which multiply in float32.
  bool ignores(std::optional<WeightPrecision> precision) const;
  /// Returns a translator of all members' scorers. `precision` and `plain` are as in TranslationModel::scorer. A
  /// translator that `aligns` reads alignments from the scorer of the first model. Throws UsageError as
  /// TranslationModel::tagged_tokenizers.
  LineTranslator translator(std::optional<WeightPrecision> precision = std::nullopt, bool aligns = true,
                            bool plain = false) const;
  /// Returns the same without language tags.
  LineTranslator untagged_translator(std::optional<WeightPrecision> precision, bool aligns, bool plain) const;
};

/// Loads each file as load_translation_model does, to translate between `languages`. Throws UsageError with the key
/// "model" if the list is empty, and ModelError naming the first file whose tokenizers or language tags differ from
/// those of the first.
TranslationEnsemble load_translation_ensemble(std::span<const std::filesystem::path> files_or_folders,
                                              at::Device device, const Languages& languages = {});

}  // namespace gloss
