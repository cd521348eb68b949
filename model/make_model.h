#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <torch/nn/module.h>

#include "common/random.h"
#include "model/decoder.h"
#include "model/encoder_decoder.h"
#include "model/feed_forward.h"
#include "model/layer_norm.h"
#include "model/model_config.h"
#include "model/positional_encoding.h"
#include "model/scores.h"

namespace gloss {

/// Throws UsageError if a vocabulary lacks the special ids, or if all embeddings are tied and the vocabularies differ
/// in size. `config` is valid.
void expect_vocabularies(const ModelConfig& config, const Vocabularies& vocabularies);

/// Returns the modules of a configuration, without checking it. Weights are zero, and factors of norms 1.
EncoderDecoderModules make_modules(const ModelConfig& config, const Vocabularies& vocabularies);

/// Builds the EncoderDecoder of a configuration for weights that are read from a file. Until then they are zero, and
/// factors of norms 1. Throws UsageError on a wrong configuration or vocabulary.
EncoderDecoder make_uninitialized_model(const ModelConfig& config, const Vocabularies& vocabularies);

/// Builds the EncoderDecoder of a configuration with initial weights (`initialize`). A weight is a function of the
/// seed of `random` and of its name.
EncoderDecoder make_model(const ModelConfig& config, const Vocabularies& vocabularies, const RandomStream& random);

/// Sets rows that the network keeps at zero to zero again, after its weights were taken from elsewhere
/// (model/alternatives/zero_start_embedding.h).
void reset_zero_rows(const EncoderDecoder& model);

/// Returns the norm of model.norm_type; with `none` it returns its input.
std::shared_ptr<NormImpl> make_norm(const ModelConfig& config);

/// Returns the positions of a network, which are zeros unless ModelConfig::adds_positions.
std::shared_ptr<PositionalEncodingImpl> make_positions(const ModelConfig& config);

/// Returns an attention of a layer with these scores.
std::shared_ptr<MultiHeadAttentionImpl> make_attention(const ModelConfig& config, Scores scores);

/// Returns the feed-forward network of a layer, with model.activation.
std::shared_ptr<FeedForwardImpl> make_feed_forward(const ModelConfig& config, std::int64_t d_ff);

/// Returns the scores of an attention by model.attention_score; in cross-attention there are no positions in them.
std::shared_ptr<ScoresImpl> make_scores(const ModelConfig& config);

/// A function that makes a part of each layer of a stack.
template <typename Part>
using PartMaker = std::function<std::shared_ptr<Part>()>;

/// Returns a function that makes the scores of each self-attention of a stack, by model.attention_score and
/// model.positions. Weights that the layers share are registered with `stack`. `both_directions`: a position may see
/// later ones.
PartMaker<ScoresImpl> self_attention_scores(const ModelConfig& config, torch::nn::Module& stack, bool both_directions);

/// Returns a function that makes the layers of the decoder `stack`, by model.decoder_layer.
PartMaker<DecoderLayerImpl> decoder_layers(const ModelConfig& config, torch::nn::Module& stack);

}  // namespace gloss
