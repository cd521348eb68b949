#include "model/weights.h"

#include <cmath>

#include <ATen/Context.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "model/make_model.h"
#include "tests/support/device_test.h"
#include "tests/support/small_model.h"
#include "tests/support/tensor_matchers.h"

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

using ::testing::Not;

class InitializationTest : public DeviceTest {
 protected:
  static auto weights(const ModelConfig& config, std::uint64_t seed = 1) {
    auto model = make_uninitialized_model(config, {3000, 3000});
    model->to(device());
    initialize(*model, RandomStream(seed, "weights"));
    return model->named_parameters();
  }
  static ModelConfig config() {
    auto config = small_config();
    config.d_model = 64;
    config.d_ff = 256;
    config.tie_embeddings = TieEmbeddings::kNone;
    config.positions = Positions::kLearned;
    config.max_positions = 500;
    return config;
  }
};

TEST_P(InitializationTest, MatricesAreXavierUniformEachOnItsOwn) {
  for (const auto& item : weights(config())) {
    if (item.value().dim() != 2 || item.key().find("embedding") != std::string::npos ||
        item.key().find("positions") != std::string::npos) {
      continue;
    }
    const auto& weight = item.value();
    const double bound = std::sqrt(6.0 / static_cast<double>(weight.size(0) + weight.size(1)));
    EXPECT_LE(weight.abs().max().item<double>(), bound) << item.key();
    EXPECT_GE(weight.abs().max().item<double>(), 0.98 * bound) << item.key();
    EXPECT_NEAR(weight.std().item<double>(), bound / std::sqrt(3.0), 0.03 * bound) << item.key();
    EXPECT_NEAR(weight.mean().item<double>(), 0, 0.04 * bound) << item.key();
  }
}

TEST_P(InitializationTest, EmbeddingsAndLearnedPositionsAreNormal) {
  const auto all = weights(config());
  for (const auto* name : {"source_embedding.weight", "target_embedding.weight", "source_positions.weight"}) {
    const auto weight = all[name].to(at::kDouble) * 8;  // deviation 64^-0.5
    EXPECT_NEAR(weight.std().item<double>(), 1, 0.02) << name;
    EXPECT_NEAR(weight.pow(4).mean().item<double>(), 3, 0.2) << name;  // a normal distribution's fourth moment
  }
}

TEST_P(InitializationTest, PadHasAZeroRowAndNothingElseHas) {
  const auto all = weights(config());
  for (const auto* name : {"source_embedding.weight", "target_embedding.weight"}) {
    EXPECT_THAT(all[name][0], SameAs(at::zeros({64}, device()))) << name;
    EXPECT_GT(all[name].slice(0, 1).norm(2, -1).min().item<float>(), 0) << name;
  }
  EXPECT_GT(all["source_positions.weight"][0].norm().item<float>(), 0);
}

TEST_P(InitializationTest, BiasesAreZeroAndNormsOne) {
  for (const auto& item : weights(config())) {
    if (item.value().dim() != 1) continue;
    const bool is_scale = item.key().ends_with("norm.weight");
    EXPECT_THAT(item.value(), SameAs(at::full_like(item.value(), is_scale ? 1 : 0))) << item.key();
  }
}

TEST_P(InitializationTest, WeightDependsOnSeedAndNameAlone) {
  auto deeper = config();
  deeper.encoder_layers = 4;
  const auto all = weights(config()), again = weights(deeper), other = weights(config(), 2);
  for (const auto& item : all) {
    EXPECT_THAT(again[item.key()], SameAs(item.value())) << item.key();
    if (item.value().dim() == 2) {
      EXPECT_THAT(other[item.key()], Not(SameAs(item.value()))) << item.key();
    }
  }
  EXPECT_THAT(all["encoder.layers.0.self_attention.key.weight"],
              Not(SameAs(all["encoder.layers.0.self_attention.query.weight"])));
  EXPECT_THAT(all["encoder.layers.0.self_attention.key.weight"],
              Not(SameAs(all["encoder.layers.1.self_attention.key.weight"])));
}

TEST_P(InitializationTest, DrawsNothingFromLibTorch) {
  const auto& generator = at::globalContext().defaultGenerator(device());
  const auto before = generator.get_state();
  make_model(small_config(), {20, 20}, RandomStream(1, "weights"))->to(device());
  EXPECT_THAT(generator.get_state(), SameAs(before));
}

INSTANTIATE_DEVICES(InitializationTest);

}  // namespace

}  // namespace gloss
