#include "decoding/scorers/make_scorer.h"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decoding/scorers/inference_scorer.h"
#include "decoding/scorers/plain_scorer.h"
#include "decoding/scorers/transformer_scorer.h"
#include "model/padding.h"
#include "tests/support/device_test.h"
#include "tests/support/small_model.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

template <typename Kind>
bool is(const std::shared_ptr<const Scorer>& scorer) {
  return dynamic_cast<const Kind*>(scorer.get()) != nullptr;
}

class MakeScorerTest : public DeviceTest {};

TEST_P(MakeScorerTest, SuitsTheModelsDevice) {
  const auto scorer = make_scorer(small_model(device()), small_config(), 12);
  EXPECT_EQ(is<InferenceScorer>(scorer), device().is_cpu());
  EXPECT_EQ(is<TransformerScorer>(scorer), !device().is_cpu());
  EXPECT_EQ(scorer->device(), device());
  EXPECT_EQ(scorer->max_target_length(), 12);
  EXPECT_EQ(scorer->vocabulary_size(), 20);
}

TEST_P(MakeScorerTest, LoadsTheNetworkOnlyIfTheScorerRunsIt) {
  const auto model = small_model(device());
  int loads = 0;
  const LazyModel lazy(device(), weights_of(*model), [&] {
    ++loads;
    return model;
  });
  make_scorer(lazy, small_config(), 12);
  EXPECT_EQ(loads, device().is_cpu() ? 0 : 1);
  make_scorer(lazy, small_config(), 12, WeightPrecision::kFloat32, true);
  EXPECT_EQ(loads, 1);
}

TEST_P(MakeScorerTest, IsPlainWhereAskedFor) {
  const auto scorer = make_scorer(small_model(device()), small_config(), 12, WeightPrecision::kFloat32, true);
  EXPECT_TRUE(is<PlainScorer>(scorer));
  EXPECT_EQ(scorer->device(), device());
}

// A part that somebody adds to the model translates before it has a twin for inference.
TEST_P(MakeScorerTest, IsPlainOnTheCpuForANetworkThatInferenceDoesNotKnow) {
  int plain = 0;
  for (const auto& config : all_alternatives()) {
    const bool supported = InferenceModel::supports(config);
    plain += supported ? 0 : 1;
    EXPECT_EQ(is<PlainScorer>(make_scorer(small_model(device(), config), config, 12)), device().is_cpu() && !supported)
        << describe(config);
  }
  EXPECT_EQ(plain, 23);
  const auto combinations = all_combinations();
  ASSERT_FALSE(combinations.empty());
  for (const auto& config : combinations) EXPECT_TRUE(InferenceModel::supports(config)) << describe(config);
}

// float16 has 11 bits, bfloat16 8. On a GPU make_scorer takes such networks; the CPU computes them for this test.
TEST_P(MakeScorerTest, EveryNetworkRunsInHalfPrecision) {
  const PaddedIds source = pad(std::vector<Ids>{{5, 6, 7, kEos}, {8, kEos}}, device());
  const auto scores = [&](const Scorer& scorer) {
    const auto state = scorer.start(source);
    scorer.step(*state, std::vector<Id>{kBos, kBos}, std::nullopt);
    scorer.select(*state, {1, 0}, {0, 0});
    const auto step = scorer.step(*state, std::vector<Id>{4, 9}, AttentionSite{});
    EXPECT_TRUE(!step.attention.defined() || step.attention.scalar_type() == at::kFloat);
    return (step.logits - step.log_normalizer.unsqueeze(-1)).cpu();
  };
  for (const auto& config : all_alternatives()) {
    const auto model = small_model(device(), config);
    const auto exact = scores(TransformerScorer(model, 12));
    for (const bool is_float16 : {true, false}) {
      const auto rounded =
          scores(TransformerScorer(load_rounded(model, config, is_float16 ? at::kHalf : at::kBFloat16), 12));
      EXPECT_EQ(rounded.scalar_type(), at::kFloat);
      // A network without a norm has large scores.
      const double scale = std::max(1.0, exact.abs().max().item<double>() / 4);
      EXPECT_LT((rounded - exact).abs().max().item<double>() / scale, is_float16 ? 0.02 : 0.15) << describe(config);
      EXPECT_FALSE(rounded.equal(exact)) << describe(config);
      if (device().is_cpu()) continue;
      const auto precision = is_float16 ? WeightPrecision::kFloat16 : WeightPrecision::kBfloat16;
      EXPECT_THAT(scores(*make_scorer(model, config, 12, precision)), SameAs(rounded));
    }
  }
}

INSTANTIATE_DEVICES(MakeScorerTest);

}  // namespace
}  // namespace gloss
