#include "model/alternatives/score_function.h"

#include <memory>

#include "model/alternatives/additive_score.h"
#include "model/alternatives/cosine_score.h"
#include "model/alternatives/dot_score.h"
#include "model/alternatives/general_score.h"
#include "model/alternatives/location_score.h"

namespace gloss {
namespace {

std::shared_ptr<ScoreFunctionImpl> score_of(AttentionScore score, const ModelConfig& config) {
  const auto heads = config.heads, d_k = config.d_model / heads;
  switch (score) {
    case AttentionScore::kScaledDot:
      return nullptr;
    case AttentionScore::kDot:
      return std::make_shared<DotScore>();
    case AttentionScore::kGeneral:
      return std::make_shared<GeneralScore>(heads, d_k);
    case AttentionScore::kAdditive:
      return std::make_shared<AdditiveScore>(heads, d_k);
    case AttentionScore::kCosine:
      return std::make_shared<CosineScore>(heads);
    case AttentionScore::kLocation:
      return std::make_shared<LocationScore>(config.max_positions, heads, d_k);
  }
  return nullptr;
}

}  // namespace

ScoreFunction make_score_function(const ModelConfig& config) {
  return ScoreFunction(score_of(config.attention_score, config));
}

ScoreFunction make_additive_score(const ModelConfig& config) {
  return ScoreFunction(score_of(AttentionScore::kAdditive, config));
}

}  // namespace gloss
