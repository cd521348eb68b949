#pragma once

#include "common/config/config_section.h"
#include "common/config/setting.h"
#include "evaluation/tokenize/tokenize.h"

namespace gloss {

/// The section `evaluation` of the run file: how validation and test are scored.
struct EvaluationConfig {
  BleuTokenizer tokenize = BleuTokenizer::k13a;  ///< tokenizer of BLEU; depends on the target language
};

/// Returns the declarations of the section's keys.
const Settings<EvaluationConfig>& evaluation_settings();

/// Reads the section. Throws UsageError if a key is unknown or its value is wrong.
EvaluationConfig read_evaluation_config(ConfigSection section);
Json to_json(const EvaluationConfig& config);

}  // namespace gloss
