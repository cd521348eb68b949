#include "model/initialization.h"

#include <cmath>

#include <ATen/Context.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/make_model.h"
#include "tests/support/device_test.h"
#include "tests/support/small_model.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

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
