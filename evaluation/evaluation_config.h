#pragma once

#include "common/config/config_section.h"
#include "evaluation/tokenize/tokenize.h"

namespace gloss {

/// `evaluation` of the run file: how the scores of validation and test are counted.
struct EvaluationConfig {
  BleuTokenizer tokenize = BleuTokenizer::k13a;  ///< of BLEU; the target language decides
};

/// Throws UsageError where a key is unknown or wrong.
EvaluationConfig read_evaluation_config(ConfigSection section);
Json to_json(const EvaluationConfig& config);

}  // namespace gloss
