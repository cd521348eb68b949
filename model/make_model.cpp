#include "model/make_model.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "common/error.h"
#include "common/special_ids.h"
#include "model/alternatives/activations.h"
#include "model/alternatives/norms.h"
#include "model/alternatives/positions.h"
#include "model/alternatives/recurrent_network.h"
#include "model/alternatives/scores.h"
#include "model/alternatives/ssru.h"
#include "model/alternatives/zero_start_embedding.h"
#include "model/weights.h"

namespace gloss {
namespace {

std::shared_ptr<EncoderImpl> encoder_of(const ModelConfig& config) {
  if (!config.is_transformer()) return std::make_shared<RecurrentEncoderImpl>(config);
  return std::make_shared<EncoderImpl>(config);
}

std::shared_ptr<DecoderImpl> decoder_of(const ModelConfig& config) {
  if (!config.is_transformer()) return std::make_shared<RecurrentDecoderImpl>(config);
  return std::make_shared<DecoderImpl>(config);
}

std::shared_ptr<EmbeddingImpl> embedding_of(const ModelConfig& config, std::int64_t vocabulary, bool is_target) {
  if (is_target && config.starts_from_zero())
    return std::make_shared<ZeroStartEmbedding>(vocabulary, config.d_model, config.embedding_scale);
  return std::make_shared<EmbeddingImpl>(vocabulary, config.d_model, config.embedding_scale);
}

}  // namespace

std::shared_ptr<NormImpl> make_norm(const ModelConfig& config) {
  switch (config.norm_type) {
    case NormType::kLayer:
      return std::make_shared<LayerNormImpl>(config.d_model, config.layer_norm_epsilon);
    case NormType::kBatch:
      return std::make_shared<BatchNorm>(config.d_model, config.layer_norm_epsilon);
    case NormType::kRms:
      return std::make_shared<RmsNorm>(config.d_model, config.layer_norm_epsilon);
    case NormType::kNone:
      return std::make_shared<NoNorm>();
  }
  return nullptr;
}

std::shared_ptr<PositionalEncodingImpl> make_positions(const ModelConfig& config) {
  const auto D = config.d_model;
  if (!config.adds_positions()) return std::make_shared<NoPositions>(D);
  if (config.positions == Positions::kLearned) return std::make_shared<LearnedPositions>(D, config.max_positions);
  return std::make_shared<PositionalEncodingImpl>(D, config.position_frequencies, config.first_position);
}

std::shared_ptr<MultiHeadAttentionImpl> make_attention(const ModelConfig& config, Scores scores) {
  return std::make_shared<MultiHeadAttentionImpl>(config.d_model, config.heads, config.dropout_on_attention(),
                                                  std::move(scores));
}

std::shared_ptr<FeedForwardImpl> make_feed_forward(const ModelConfig& config, std::int64_t d_ff) {
  const auto D = config.d_model;
  const auto dropout = config.dropout_in_feed_forward();
  if (config.activation == Activation::kRelu) return std::make_shared<FeedForwardImpl>(D, d_ff, dropout);
  return std::make_shared<ActivatedFeedForward>(D, d_ff, dropout, config.activation);
}

std::shared_ptr<ScoresImpl> make_scores(const ModelConfig& config) {
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

PartMaker<ScoresImpl> self_attention_scores(const ModelConfig& config, torch::nn::Module& stack, bool both_directions) {
  if (config.positions == Positions::kRotary)
    return [config] { return std::make_shared<RotaryScores>(make_scores(config)); };
  if (config.positions != Positions::kRelative) return [config] { return make_scores(config); };
  const auto positions = stack.register_module("relative_positions", RelativePositions(config.heads, both_directions));
  return [config, positions] { return std::make_shared<RelativeScores>(make_scores(config), positions); };
}

PartMaker<DecoderLayerImpl> decoder_layers(const ModelConfig& config, torch::nn::Module& stack) {
  if (!config.has_decoder_self_attention())
    return [config] { return std::make_shared<SsruDecoderLayer>(config, Ssru(config.d_model)); };
  const auto scores = self_attention_scores(config, stack, /*both_directions=*/false);
  return [config, scores] { return std::make_shared<DecoderLayerImpl>(config, scores()); };
}

void expect_vocabularies(const ModelConfig& config, const Vocabularies& vocabularies) {
  require(vocabularies.source >= kSpecialIds && vocabularies.target >= kSpecialIds, "vocabulary",
          "at least " + std::to_string(kSpecialIds) + " pieces: pad, unk, bos and eos",
          std::min(vocabularies.source, vocabularies.target));
  if (config.tie_embeddings == TieEmbeddings::kAll && vocabularies.source != vocabularies.target) {
    throw UsageError(
        "model.tie_embeddings: wanted decoder or none where source and target have vocabularies of their own (" +
        std::to_string(vocabularies.source) + " and " + std::to_string(vocabularies.target) + " pieces), got all");
  }
}

EncoderDecoderModules make_modules(const ModelConfig& config, const Vocabularies& vocabularies) {
  const auto D = config.d_model;
  EncoderDecoderModules modules;
  modules.encoder = Encoder(encoder_of(config));
  modules.decoder = Decoder(decoder_of(config));
  const bool is_shared = config.tie_embeddings == TieEmbeddings::kAll;
  modules.source.embedding = Embedding(embedding_of(config, vocabularies.source, /*is_target=*/is_shared));
  modules.target.embedding =
      is_shared ? modules.source.embedding : Embedding(embedding_of(config, vocabularies.target, /*is_target=*/true));
  modules.source.positions = make_positions(config);
  modules.target.positions = make_positions(config);
  modules.generator = config.tie_embeddings == TieEmbeddings::kNone ? Generator(D, vocabularies.target)
                                                                    : Generator(modules.target.embedding->weight());
  if (config.embedding_norm) {
    modules.source.norm = make_norm(config);
    modules.target.norm = make_norm(config);
  }
  modules.dropout = config.dropout;
  return modules;
}

EncoderDecoder make_uninitialized_model(const ModelConfig& config, const Vocabularies& vocabularies) {
  config.validate();
  expect_vocabularies(config, vocabularies);
  return EncoderDecoder(make_modules(config, vocabularies));
}

EncoderDecoder make_model(const ModelConfig& config, const Vocabularies& vocabularies, const RandomStream& random) {
  auto model = make_uninitialized_model(config, vocabularies);
  initialize(*model, random);
  reset_zero_rows(model);
  return model;
}

void reset_zero_rows(const EncoderDecoder& model) {
  for (const auto& module : model->modules(/*include_self=*/false))
    if (const auto embedding = std::dynamic_pointer_cast<ZeroStartEmbedding>(module)) embedding->reset_zero_rows();
}

}  // namespace gloss
