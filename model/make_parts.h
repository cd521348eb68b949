#pragma once

#include <cstdint>
#include <functional>

#include <torch/nn/module.h>

#include "model/feed_forward.h"
#include "model/model_config.h"
#include "model/positional_encoding.h"
#include "model/scores.h"

namespace gloss {

/// Returns the positions of a network, which are zeros unless ModelConfig::adds_positions.
PositionalEncoding make_positions(const ModelConfig& config);

/// Returns the feed-forward network of a layer, with model.activation.
FeedForward make_feed_forward(const ModelConfig& config, std::int64_t d_ff);

/// Returns the scores of an attention by model.attention_score; in cross-attention there are no positions in them.
Scores make_scores(const ModelConfig& config);

/// Returns a function that makes the scores of each self-attention of a stack, by model.attention_score and
/// model.positions. Weights that the layers share are registered with `stack`. `both_directions`: a position may see
/// later ones.
std::function<Scores()> self_attention_scores(const ModelConfig& config, torch::nn::Module& stack,
                                              bool both_directions);

}  // namespace gloss
