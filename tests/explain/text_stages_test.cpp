#include "explain/text_stages.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "common/text/split.h"
#include "tests/support/small_model.h"

namespace gloss {
namespace {

const Part kSelf{.kind = Part::Kind::kSublayer, .side = Part::Side::kEncoder, .sublayer = Part::Sublayer::kSelf};
const Part kCross{.kind = Part::Kind::kSublayer, .side = Part::Side::kDecoder, .sublayer = Part::Sublayer::kCross};
const Part kFeedForward{.kind = Part::Kind::kSublayer, .sublayer = Part::Sublayer::kFeedForward};
const Part kLayer{.kind = Part::Kind::kLayer, .side = Part::Side::kDecoder};

TEST(TextStagesTest, FilesOfAllFormulasExist) {
  const auto expect_files = [](const Formula& formula) {
    for (const auto file : split_text(formula.file, ',')) {
      const auto name = file.substr(file.find_first_not_of(' '));
      EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::path(GLOSS_SOURCE_FOLDER) / name)) << name;
    }
  };
  const Part recurrence{.kind = Part::Kind::kSublayer, .sublayer = Part::Sublayer::kRecurrence};
  for (const auto& config : all_alternatives()) {
    for (const auto& sublayer : {kSelf, recurrence, kCross, kFeedForward})
      expect_files(sublayer_formula(sublayer, config));
    for (const auto side : {Part::Side::kEncoder, Part::Side::kDecoder}) {
      expect_files(layer_formula({.kind = Part::Kind::kLayer, .side = side}, config));
      expect_files(stack_formula(side, config));
    }
  }
}

TEST(TextStagesTest, AttentionHasTheScoreOfTheConfiguration) {
  ModelConfig config;
  EXPECT_EQ(sublayer_formula(kSelf, config).text, "softmax(Q K^T / sqrt(d_k)) V, heads side by side, times W^O");
  EXPECT_EQ(sublayer_formula(kSelf, config).file, "model/attention.cpp, model/multi_head_attention.cpp");
  config.attention_score = AttentionScore::kAdditive;
  EXPECT_EQ(sublayer_formula(kCross, config).text, "softmax(v . tanh(q + k)) V, heads side by side, times W^O");
  EXPECT_EQ(sublayer_formula(kCross, config).file, "model/alternatives/scores.cpp, model/multi_head_attention.cpp");
}

TEST(TextStagesTest, PositionsInsideAttentionAreThoseOfSelfAttention) {
  ModelConfig config;
  const auto plain = sublayer_formula(kCross, config).text;
  config.positions = Positions::kRelative;
  EXPECT_EQ(sublayer_formula(kSelf, config).text,
            "softmax(Q K^T / sqrt(d_k) + bias of s - t) V, heads side by side, times W^O");
  EXPECT_EQ(sublayer_formula(kCross, config).text, plain);
  config.positions = Positions::kRotary;
  EXPECT_TRUE(sublayer_formula(kSelf, config).text.ends_with("; queries and keys are rotated by their positions"));
  EXPECT_EQ(sublayer_formula(kCross, config).text, plain);
}

TEST(TextStagesTest, LayersHaveTheirNormAndResidualConnection) {
  ModelConfig config;
  EXPECT_EQ(layer_formula(kLayer, config).text, "x + sublayer(norm(x))");
  EXPECT_EQ(stack_formula(Part::Side::kDecoder, config).text, "norm(x)");
  config.norm_type = NormType::kRms;
  config.residual = false;
  EXPECT_EQ(layer_formula(kLayer, config).text, "sublayer(rms_norm(x))");
  config.norm = NormPlace::kPost;
  config.norm_type = NormType::kBatch;
  EXPECT_EQ(layer_formula(kLayer, config).text, "batch_norm(sublayer(x))");
  EXPECT_EQ(stack_formula(Part::Side::kDecoder, config).text, "x");
  config.norm_type = NormType::kNone;
  config.final_norm = true;
  EXPECT_EQ(layer_formula(kLayer, config).text, "sublayer(x)");
  EXPECT_EQ(stack_formula(Part::Side::kDecoder, config).text, "x");
}

TEST(TextStagesTest, AGatedFeedForwardHasThreeMatrices) {
  ModelConfig config;
  config.activation = Activation::kSwish;
  EXPECT_EQ(sublayer_formula(kFeedForward, config).text, "activation(x W_1 + b_1) W_2 + b_2");
  config.activation = Activation::kSwiglu;
  EXPECT_EQ(sublayer_formula(kFeedForward, config).text, "(activation(x W_g + b_g) * (x W_1 + b_1)) W_2 + b_2");
}

TEST(TextStagesTest, ARecurrenceHasItsOwn) {
  ModelConfig config;
  config.decoder_layer = DecoderLayerType::kSsru;
  const Part recurrence{
      .kind = Part::Kind::kSublayer, .side = Part::Side::kDecoder, .sublayer = Part::Sublayer::kRecurrence};
  EXPECT_EQ(sublayer_formula(recurrence, config).file, "model/alternatives/ssru.cpp");
}

TEST(TextStagesTest, ARecurrentDecoderReadsTheContextInItsFirstLayer) {
  ModelConfig config;
  config.architecture = Architecture::kRecurrent;
  EXPECT_EQ(sublayer_formula(kCross, config).text,
            "softmax(v . tanh(q + k)) V, heads side by side, times W^O; the query is h_t-1");
  EXPECT_EQ(layer_formula(kLayer, config).text, "h_t = GRU([x_t, c_t], h_t-1), h_0 from the memory");
  EXPECT_EQ(stack_formula(Part::Side::kDecoder, config).text, "tanh(W_o [h_t, c_t, x_t] + b_o)");
  auto second = kLayer;
  second.layer = 1;
  EXPECT_EQ(layer_formula(second, config).text, "h_t = GRU(x_t, h_t-1), h_0 from the memory");
  config.recurrent_attention = RecurrentAttention::kNone;
  EXPECT_EQ(layer_formula(kLayer, config).text, "h_t = GRU(x_t, h_t-1), h_0 from the memory");
  EXPECT_EQ(layer_formula(kLayer, config).file, "model/alternatives/recurrent_network.cpp");
}

}  // namespace
}  // namespace gloss
