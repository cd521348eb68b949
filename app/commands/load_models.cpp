#include "app/commands/load_models.h"

#include <string>

#include "app/options/command_options.h"
#include "common/log/log.h"

namespace gloss {

TranslationEnsemble load_models(const std::vector<std::filesystem::path>& models, const Languages& languages,
                                at::Device device) {
  TranslationEnsemble ensemble;
  name_by_option(translation_names(), [&] { ensemble = load_translation_ensemble(models, device); });
  ensemble.languages = languages;
  return ensemble;
}

void warn_of_ignored(std::optional<WeightPrecision> precision, const TranslationEnsemble& models) {
  if (models.ignores(precision))
    log_warning("--precision: " + std::string(weight_precision_name(*precision)) +
                " is ignored; gloss has no fast code for a part of this network and multiplies in float32");
}

}  // namespace gloss
