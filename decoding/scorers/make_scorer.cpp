#include "decoding/scorers/make_scorer.h"

#include "common/error.h"
#include "decoding/scorers/inference_scorer.h"
#include "decoding/scorers/plain_scorer.h"
#include "decoding/scorers/transformer_scorer.h"

namespace gloss {

bool falls_back_to_plain(at::Device device, const ModelConfig& config) {
  return device.is_cpu() && !InferenceModel::supports(config);
}

std::shared_ptr<const Scorer> make_scorer(const LazyModel& model, const ModelConfig& config,
                                          std::int64_t max_target_length, WeightPrecision precision, bool plain) {
  if (plain || falls_back_to_plain(model.device, config))
    return std::make_shared<PlainScorer>(model.network(), max_target_length);
  if (model.device.is_cpu() && precision == WeightPrecision::kFloat16)
    throw Error(ExitCode::kFault, "make_scorer: wanted a GPU for float16, got the CPU");
  if (model.device.is_cpu()) return std::make_shared<InferenceScorer>(model, config, max_target_length, precision);
  const bool rounds = precision == WeightPrecision::kFloat16 || precision == WeightPrecision::kBfloat16;
  const auto type = precision == WeightPrecision::kFloat16 ? at::kHalf : at::kBFloat16;
  return std::make_shared<TransformerScorer>(rounds ? load_rounded(model, config, type) : model.network(),
                                             max_target_length);
}

}  // namespace gloss
