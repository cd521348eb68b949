#include "decoding/scorers/make_scorer.h"

#include "decoding/scorers/inference_scorer.h"
#include "decoding/scorers/transformer_scorer.h"

namespace gloss {

std::shared_ptr<const Scorer> make_scorer(const EncoderDecoder& model, const ModelConfig& config,
                                          std::int64_t max_target_length, WeightPrecision precision) {
  if (model->device().is_cpu()) return std::make_shared<InferenceScorer>(model, config, max_target_length, precision);
  return std::make_shared<TransformerScorer>(model, max_target_length);
}

}  // namespace gloss
