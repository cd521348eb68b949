#include "model/model_config.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/config/settings.h"
#include "common/error.h"

namespace gloss {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

ModelConfig read(const std::string& text) {
  const auto json = parse_json(text);
  auto config = read_model_config(ConfigSection(json, "model"));
  config.validate();
  return config;
}

TEST(ModelConfigTest, DefaultsAreTheBaseModel) {
  const auto config = read("{}");
  EXPECT_EQ(config.encoder_layers, 6);
  EXPECT_EQ(config.decoder_layers, 6);
  EXPECT_EQ(config.d_model, 512);
  EXPECT_EQ(config.d_ff, 2048);
  EXPECT_EQ(config.heads, 8);
  EXPECT_EQ(config.dropout, 0.1);
  EXPECT_TRUE(config.has_final_norm());
}

TEST(ModelConfigTest, OtherDefaultsFollowFromWhatIsGiven) {
  const auto post = read(R"({"norm": "post", "dropout": 0.3})");
  EXPECT_FALSE(post.has_final_norm());
  EXPECT_EQ(post.dropout_on_attention(), 0.3);
  EXPECT_EQ(post.dropout_in_feed_forward(), 0.3);
  const auto own = read(R"({"norm": "post", "final_norm": true, "dropout": 0.3, "attention_dropout": 0})");
  EXPECT_TRUE(own.has_final_norm());
  EXPECT_EQ(own.dropout_on_attention(), 0);
}

TEST(ModelConfigTest, WhatIsWrittenReadsBackWithEveryDefaultFilledIn) {
  const auto config = read(R"({"encoder_layers": 2, "decoder_layers": 3, "d_model": 64, "d_ff": 100, "heads": 4,
      "norm": "post", "activation": "gelu", "positions": "learned", "max_positions": 77, "tie_embeddings": "none",
      "dropout": 0.2, "feed_forward_dropout": 0.05})");
  const auto json = to_json(config);
  EXPECT_EQ(json.size(), 28U);
  EXPECT_EQ(to_json(read(to_text(json))), json);
  EXPECT_EQ(json["final_norm"], false);
  EXPECT_EQ(json["attention_dropout"], 0.2);
  EXPECT_EQ(json["tie_embeddings"], "none");
}

TEST(ModelConfigTest, WidthOfTheDecoderIsWrittenIfItDiffers) {
  const auto config = read(R"({"d_ff": 100})");
  EXPECT_EQ(config.decoder_d_ff(), 100);
  EXPECT_FALSE(to_json(config).contains("d_ff_decoder"));
  EXPECT_FALSE(to_json(read(R"({"d_ff": 100, "d_ff_decoder": 100})")).contains("d_ff_decoder"));
  const auto other = read(R"({"d_ff": 100, "d_ff_decoder": 50})");
  EXPECT_EQ(to_json(other)["d_ff_decoder"], 50);
  EXPECT_EQ(to_json(read(to_text(to_json(other)))), to_json(other));
}

// So that a run that began before the keys were there can be resumed.
TEST(ModelConfigTest, DefaultsOfLaterKeysAreNoPartOfTheIdentity) {
  const auto identity = model_settings().identity(read(R"({"d_ff": 100})"));
  for (const auto* key : {"d_ff_decoder", "layer_norm_epsilon", "embedding_norm", "decoder_layer", "decoder_start",
                          "position_frequencies", "first_position", "self_attention_norm"})
    EXPECT_FALSE(identity.contains(key)) << key;
  EXPECT_EQ(model_settings().identity(read(R"({"decoder_layer": "ssru"})"))["decoder_layer"], "ssru");
}

TEST(ModelConfigTest, LearnedPositionsAndLocationScoresLimitTheLength) {
  EXPECT_EQ(read("{}").position_limit(), std::nullopt);
  EXPECT_EQ(read(R"({"positions": "learned", "max_positions": 9})").position_limit(), 9);
  EXPECT_EQ(read(R"({"attention_score": "location", "max_positions": 9})").position_limit(), 9);
  EXPECT_EQ(read(R"({"positions": "rotary", "max_positions": 9})").position_limit(), std::nullopt);
}

TEST(ModelConfigTest, MistakesAreNamedByTheirKey) {
  const std::vector<std::pair<std::string, std::string>> mistakes{
      {R"({"encoder_layers": 0})", "model.encoder_layers: wanted a whole number from 1"},
      {R"({"decoder_layers": 1001})", "model.decoder_layers"},
      {R"({"d_model": -512})", "model.d_model"},
      {R"({"d_ff": 0})", "model.d_ff"},
      {R"({"heads": 7})", "model.heads: wanted a divisor of model.d_model 512, got 7"},
      {R"({"heads": 0})", "model.heads"},
      {R"({"max_positions": 0})", "model.max_positions"},
      {R"({"dropout": 1})", "model.dropout"},
      {R"({"attention_dropout": -0.1})", "model.attention_dropout"},
      {R"({"feed_forward_dropout": 1.5})", "model.feed_forward_dropout"},
      {R"({"norm": "middle"})", "model.norm"},
      {R"({"activation": 1})", "model.activation"},
      {R"({"positions": "circular"})", "model.positions"},
      {R"({"positions": "rotary", "d_model": 24, "heads": 8})",
       "model.positions: rotary: wanted an even width of heads"},
      {R"({"d_ff_decoder": 0})", "model.d_ff_decoder"},
      {R"({"layer_norm_epsilon": 0})", "model.layer_norm_epsilon"},
      {R"({"first_position": -1})", "model.first_position"},
      {R"({"first_position": 2, "positions": "learned"})", "model.first_position: has an effect with model.positions"},
      {R"({"position_frequencies": "tensor2tensor", "positions": "rotary"})",
       "model.position_frequencies: has an effect with model.positions sinusoidal only"},
      {R"({"position_frequencies": "tensor2tensor", "d_model": 15, "heads": 5})", "model.d_model: wanted an even"},
      {R"({"embedding_norm": true, "norm_type": "none"})", "model.embedding_norm: has an effect with a norm only"},
      {R"({"architecture": "recurrent", "embedding_norm": true})", "model.embedding_norm: applies to the Transformer"},
      {R"({"architecture": "recurrent", "decoder_layer": "ssru"})", "model.decoder_layer: applies to the Transformer"},
      {R"({"architecture": "recurrent", "layer_norm_epsilon": 1e-6})", "model.layer_norm_epsilon: applies to"},
      {R"({"architecture": "recurrent", "first_position": 2})", "model.first_position: applies to the Transformer"},
      {R"({"self_attention_norm": "key"})", "model.self_attention_norm: wanted one of all, query"},
      {R"({"self_attention_norm": "query", "norm": "post"})",
       "model.self_attention_norm: has an effect with model.norm pre only"},
      {R"({"architecture": "recurrent", "self_attention_norm": "query"})", "model.self_attention_norm: applies to"},
      {R"({"recurrent_attention": "none"})", "model.recurrent_attention: has an effect with model.architecture"},
      {R"({"architecture": "recurrent", "norm_type": "rms"})", "model.norm_type: applies to the Transformer only"},
      {R"({"architecture": "recurrent", "d_model": 15, "heads": 5})", "model.d_model: wanted an even number"},
      {R"({"tie_embeddings": true})", "model.tie_embeddings"},
      {R"({"d_modle": 512})", "model.d_modle"}};
  for (const auto& [text, message] : mistakes) {
    EXPECT_THAT([&text = text] { read(text); }, ThrowsMessage<UsageError>(HasSubstr(message)));
  }
}

}  // namespace
}  // namespace gloss
