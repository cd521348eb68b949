#include "model/make_parts.h"

#include <memory>

#include "model/alternatives/activations.h"
#include "model/alternatives/positions.h"
#include "model/alternatives/relative_positions.h"
#include "model/alternatives/rotary_positions.h"
#include "model/alternatives/scores.h"

namespace gloss {
namespace {

std::shared_ptr<PositionalEncodingImpl> positions_of(const ModelConfig& config) {
  const auto D = config.d_model;
  if (!config.adds_positions()) return std::make_shared<NoPositions>(D);
  if (config.positions == Positions::kLearned) return std::make_shared<LearnedPositions>(D, config.max_positions);
  return std::make_shared<PositionalEncodingImpl>(D, config.position_frequencies, config.first_position);
}

std::shared_ptr<FeedForwardImpl> feed_forward_of(const ModelConfig& config, std::int64_t d_ff) {
  const auto D = config.d_model;
  const auto dropout = config.dropout_in_feed_forward();
  if (config.activation == Activation::kRelu) return std::make_shared<FeedForwardImpl>(D, d_ff, dropout);
  return std::make_shared<ActivatedFeedForward>(D, d_ff, dropout, config.activation);
}

std::shared_ptr<ScoresImpl> scores_of(const ModelConfig& config) {
  const auto heads = config.heads, d_k = config.d_model / heads;
  switch (config.attention_score) {
    case AttentionScore::kScaledDot:
      return scaled_dot().ptr();
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

PositionalEncoding make_positions(const ModelConfig& config) { return positions_of(config); }

FeedForward make_feed_forward(const ModelConfig& config, std::int64_t d_ff) { return feed_forward_of(config, d_ff); }

Scores make_scores(const ModelConfig& config) { return scores_of(config); }

std::function<Scores()> self_attention_scores(const ModelConfig& config, torch::nn::Module& stack,
                                              bool both_directions) {
  using Made = std::shared_ptr<ScoresImpl>;
  if (config.positions == Positions::kRotary)
    return [config]() -> Made { return std::make_shared<RotaryScores>(make_scores(config)); };
  if (config.positions != Positions::kRelative) return [config] { return make_scores(config); };
  const auto positions = stack.register_module("relative_positions", RelativePositions(config.heads, both_directions));
  return [config, positions]() -> Made { return std::make_shared<RelativeScores>(make_scores(config), positions); };
}

}  // namespace gloss
