#include "evaluation/evaluation_config.h"

namespace gloss {

EvaluationConfig read_evaluation_config(ConfigSection section) {
  EvaluationConfig config;
  section.read("tokenize", config.tokenize, Choices<BleuTokenizer>(kBleuTokenizers));
  section.finish();
  return config;
}

Json to_json(const EvaluationConfig& config) { return {{"tokenize", bleu_tokenizer_name(config.tokenize)}}; }

}  // namespace gloss
