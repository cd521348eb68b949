#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include <c10/core/Device.h>

#include "translation/models/translation_ensemble.h"

namespace gloss {

/// Loads the models of `--model`, which translate between `languages`. Throws as load_translation_ensemble, by the name
/// of the option.
TranslationEnsemble load_models(const std::vector<std::filesystem::path>& models, const Languages& languages,
                                at::Device device);

/// Warns once if `--precision` has no effect on some of the models.
void warn_of_ignored(std::optional<WeightPrecision> precision, const TranslationEnsemble& models);

}  // namespace gloss
