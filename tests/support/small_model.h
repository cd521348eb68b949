#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/grad_mode.h>

#include "model/make_model.h"
#include "tests/support/formula_tensor.h"

namespace gloss {

/// Two layers on either side, D 16, H 4, dropout 0.1.
inline ModelConfig small_config() {
  ModelConfig config;
  config.encoder_layers = config.decoder_layers = 2;
  config.d_model = 16;
  config.d_ff = 32;
  config.heads = 4;
  config.max_positions = 32;
  return config;
}

/// Every combination of norm, tying, positions and activation, the rest as in small_config().
inline std::vector<ModelConfig> all_combinations() {
  std::vector<ModelConfig> configs;
  for (const auto norm : {NormPlace::kPre, NormPlace::kPost}) {
    for (const auto tie : {TieEmbeddings::kAll, TieEmbeddings::kDecoder, TieEmbeddings::kNone}) {
      for (const auto positions : {Positions::kSinusoidal, Positions::kLearned}) {
        for (const auto activation : {Activation::kRelu, Activation::kGelu}) {
          auto& config = configs.emplace_back(small_config());
          config.norm = norm;
          config.tie_embeddings = tie;
          config.positions = positions;
          config.activation = activation;
        }
      }
    }
  }
  return configs;
}

/// A small model as Marian's tools train it: SSRU, post-norm, zero start, Tensor2Tensor's frequencies.
inline ModelConfig marian_student() {
  auto config = small_config();
  config.decoder_layer = DecoderLayerType::kSsru;
  config.decoder_start = DecoderStart::kZero;
  config.norm = NormPlace::kPost;
  config.layer_norm_epsilon = 1e-6;
  config.position_frequencies = PositionFrequencies::kTensor2Tensor;
  config.activation = Activation::kSwish;
  config.d_ff_decoder = 48;
  return config;
}

/// Every alternative of model/alternatives by itself, and batch norm and RMS norm at both places; the rest as in
/// small_config().
inline std::vector<ModelConfig> all_alternatives() {
  std::vector<ModelConfig> configs;
  const auto add = [&](auto member, auto value, NormPlace norm = NormPlace::kPre) {
    auto& config = configs.emplace_back(small_config());
    config.norm = norm;
    config.*member = value;
  };
  using enum AttentionScore;
  for (const auto score : {kDot, kGeneral, kAdditive, kCosine, kLocation}) add(&ModelConfig::attention_score, score);
  for (const auto norm : {NormPlace::kPre, NormPlace::kPost}) {
    for (const auto type : {NormType::kBatch, NormType::kRms, NormType::kNone})
      add(&ModelConfig::norm_type, type, norm);
    add(&ModelConfig::residual, false, norm);
  }
  for (const auto positions : {Positions::kNone, Positions::kRotary, Positions::kRelative})
    add(&ModelConfig::positions, positions);
  for (const auto activation : {Activation::kGeluSigmoid, Activation::kSwish, Activation::kGlu, Activation::kSwiglu})
    add(&ModelConfig::activation, activation);
  add(&ModelConfig::self_attention_norm, SelfAttentionNorm::kQuery);
  add(&ModelConfig::self_attention_norm, SelfAttentionNorm::kQuery);
  configs.back().decoder_layer = DecoderLayerType::kSsru;
  configs.back().positions = Positions::kLearned;
  add(&ModelConfig::position_frequencies, PositionFrequencies::kTensor2Tensor);
  add(&ModelConfig::first_position, std::int64_t{2});
  add(&ModelConfig::layer_norm_epsilon, 0.01);
  add(&ModelConfig::d_ff_decoder, std::optional<std::int64_t>(24));
  for (const auto norm : {NormPlace::kPre, NormPlace::kPost}) {
    add(&ModelConfig::embedding_norm, true, norm);
    add(&ModelConfig::decoder_layer, DecoderLayerType::kSsru, norm);
  }
  for (const auto tie : {TieEmbeddings::kAll, TieEmbeddings::kDecoder, TieEmbeddings::kNone}) {
    add(&ModelConfig::decoder_start, DecoderStart::kZero);
    configs.back().tie_embeddings = tie;
  }
  configs.push_back(marian_student());
  add(&ModelConfig::decoder_layer, DecoderLayerType::kSsru);
  configs.back().positions = Positions::kRelative;
  configs.back().norm_type = NormType::kBatch;
  configs.back().embedding_norm = true;
  add(&ModelConfig::embedding_scale, EmbeddingScale::kOne);
  add(&ModelConfig::encoder_mask, EncoderMask::kCausal);
  for (const auto attention : {RecurrentAttention::kAdditive, RecurrentAttention::kNone}) {
    add(&ModelConfig::architecture, Architecture::kRecurrent);
    configs.back().recurrent_attention = attention;
  }
  return configs;
}

/// 1, 2, 8 and 16 heads, and each score function with 1 and 2; the rest as in small_config().
inline std::vector<ModelConfig> all_head_counts() {
  std::vector<ModelConfig> configs;
  const auto add = [&](AttentionScore score, std::int64_t heads) {
    auto& config = configs.emplace_back(small_config());
    config.attention_score = score;
    config.heads = heads;
  };
  using enum AttentionScore;
  for (const auto heads : {1, 2, 8, 16}) add(kScaledDot, heads);
  for (const auto score : {kDot, kGeneral, kAdditive, kCosine, kLocation})
    for (const auto heads : {1, 2}) add(score, heads);
  return configs;
}

/// all_combinations() and all_alternatives().
inline std::vector<ModelConfig> all_networks() {
  auto configs = all_combinations();
  for (auto& config : all_alternatives()) configs.push_back(config);
  return configs;
}

/// Returns the text to print if a test fails for a configuration.
inline std::string describe(const ModelConfig& config) { return to_text(to_json(config)); }

/// Initial weights, moved by a formula so that no bias is 0 and no norm 1. 20 pieces on either side by default.
inline EncoderDecoder small_model(at::Device device, const ModelConfig& config = small_config(),
                                  const Vocabularies& vocabularies = {20, 20}) {
  auto model = make_model(config, vocabularies, RandomStream(7, "weights"));
  model->to(device);
  const at::NoGradGuard no_grad;
  int number = 0;
  for (auto& parameter : model->parameters()) parameter.add_(formula_tensor(parameter.sizes(), device, ++number), 0.1);
  return model;
}

using Rows = std::vector<std::vector<std::int32_t>>;

/// Three sentences of unequal length, pieces and eos.
inline Rows small_sources() { return {{5, 6, 7, 8, 3}, {9, 10, 3}, {11, 3}}; }
inline Rows small_targets() { return {{12, 13, 3}, {14, 15, 16, 17, 18, 3}, {19, 4, 5, 3}}; }

}  // namespace gloss
