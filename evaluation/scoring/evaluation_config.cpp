#include "evaluation/scoring/evaluation_config.h"

#include <utility>

#include "common/config/settings.h"

namespace gloss {

const Settings<EvaluationConfig>& evaluation_settings() {
  static const Settings<EvaluationConfig> settings(
      "evaluation", {{choice_field(&EvaluationConfig::tokenize, kBleuTokenizers),
                      {.key = "tokenize", .help = "tokenizer of BLEU in validation and test; `zh` suits Chinese"}}});
  return settings;
}

EvaluationConfig read_evaluation_config(ConfigSection section) {
  return evaluation_settings().read(std::move(section));
}

Json to_json(const EvaluationConfig& config) { return evaluation_settings().to_json(config); }

}  // namespace gloss
