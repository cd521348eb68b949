#include "model/weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/small_model.h"

namespace gloss {
namespace {

TEST(WeightsTest, EqualThoseOfTheModel) {
  for (const auto& config : all_networks()) {
    const Vocabularies vocabularies{20, config.tie_embeddings == TieEmbeddings::kAll ? 20 : 24};
    std::map<std::string, WeightInfo> weights;
    std::int64_t count = 0;
    for (const auto& item : make_uninitialized_model(config, vocabularies)->named_parameters()) {
      const auto shape = item.value().sizes().vec();
      weights[item.key()] = {weight_kind(item.key(), shape.size()), shape};
      count += item.value().numel();
    }
    ASSERT_FALSE(weights.empty());
    EXPECT_TRUE(network_weights(config, vocabularies) == weights) << describe(config);
    EXPECT_EQ(count_parameters(config, vocabularies), count) << describe(config);
  }
}

TEST(WeightsTest, BaseModelHasTheKnownNumber) { EXPECT_EQ(count_parameters(ModelConfig{}, {37000, 37000}), 63121544); }

TEST(WeightsTest, LargestAllowedModelCanBeCounted) {
  auto config = small_config();
  config.encoder_layers = config.decoder_layers = 1000;
  config.d_model = config.d_ff = 1 << 17;
  config.positions = Positions::kLearned;
  config.max_positions = 1 << 24;
  config.validate();
  EXPECT_GT(count_parameters(config, {1 << 30, 1 << 30}), std::int64_t{1} << 45);
}

TEST(WeightsTest, KindFollowsFromTheName) {
  EXPECT_EQ(weight_kind("encoder.layers.0.self_attention.query.weight", 2), WeightKind::kMatrix);
  EXPECT_EQ(weight_kind("decoder.layers.0.recurrence.value.weight", 2), WeightKind::kMatrix);
  EXPECT_EQ(weight_kind("decoder.layers.0.recurrence_norm.weight", 1), WeightKind::kNorm);
  EXPECT_EQ(weight_kind("source_embedding_norm.weight", 1), WeightKind::kNorm);
  EXPECT_EQ(weight_kind("source_embedding.weight", 2), WeightKind::kEmbedding);
  EXPECT_EQ(weight_kind("target_positions.weight", 2), WeightKind::kPositions);
  EXPECT_EQ(weight_kind("encoder.relative_positions.weight", 2), WeightKind::kPositions);
  EXPECT_EQ(weight_kind("encoder.layers.0.forward.state.weight", 2), WeightKind::kGates);
  EXPECT_EQ(weight_kind("decoder.layers.0.cross_attention.score.weight", 2), WeightKind::kScore);
  EXPECT_EQ(weight_kind("decoder.layers.0.cross_attention.score.log_scale", 1), WeightKind::kLogScale);
  EXPECT_EQ(weight_kind("encoder.norm.running_mean", 1), WeightKind::kBias);
  EXPECT_EQ(weight_kind("encoder.norm.running_variance", 1), WeightKind::kNorm);
  EXPECT_EQ(weight_kind("encoder.norm.weight", 1), WeightKind::kNorm);
  EXPECT_EQ(weight_kind("decoder.layers.1.cross_attention_norm.weight", 1), WeightKind::kNorm);
  EXPECT_EQ(weight_kind("decoder.norm.bias", 1), WeightKind::kBias);
  EXPECT_EQ(weight_kind("generator.bias", 1), WeightKind::kBias);
}

// A vector of an unknown name would otherwise start at zero, whatever it multiplies.
TEST(WeightsTest, NameThatDoesNotFitTheDimensionsIsRefused) {
  EXPECT_THAT([] { weight_kind("encoder.layers.0.gate.weight", 1); },
              testing::ThrowsMessage<ShapeError>(testing::HasSubstr("gate.weight: wanted 2 dimensions")));
  EXPECT_THROW(weight_kind("encoder.norm.weight", 2), ShapeError);
}

TEST(WeightsTest, ModuleOfAWeightInALayerIsItsSublayer) {
  EXPECT_EQ(module_name("encoder.layers.0.self_attention.query.weight"), "encoder.layers.0.self_attention");
  EXPECT_EQ(module_name("decoder.layers.12.feed_forward.inner.bias"), "decoder.layers.12.feed_forward");
  EXPECT_EQ(module_name("encoder.layers.0.self_attention_norm.weight"), "encoder.layers.0.self_attention_norm");
  EXPECT_EQ(module_name("decoder.layers.1.recurrence.gate.bias"), "decoder.layers.1.recurrence");
  EXPECT_EQ(module_name("encoder.norm.bias"), "encoder.norm");
  EXPECT_EQ(module_name("source_embedding.weight"), "source_embedding");
}

TEST(WeightsTest, TiedWeightsAreStoredUnderTheNameOfTheFirst) {
  const std::string source = kSourceEmbedding, target = kTargetEmbedding, last = kGeneratorMatrix;
  EXPECT_EQ(stored_name(last, TieEmbeddings::kAll), source);
  EXPECT_EQ(stored_name(target, TieEmbeddings::kAll), source);
  EXPECT_EQ(stored_name(last, TieEmbeddings::kDecoder), target);
  EXPECT_EQ(stored_name(target, TieEmbeddings::kDecoder), target);
  EXPECT_EQ(stored_name(last, TieEmbeddings::kNone), last);
  for (const auto tie : {TieEmbeddings::kAll, TieEmbeddings::kDecoder, TieEmbeddings::kNone}) {
    EXPECT_EQ(stored_name(source, tie), source);
    EXPECT_EQ(stored_name("generator.bias", tie), "generator.bias");
  }
}

}  // namespace
}  // namespace gloss
