#include "decoding/scorers/make_scorer.h"

#include <gtest/gtest.h>

#include "decoding/scorers/inference_scorer.h"
#include "decoding/scorers/plain_scorer.h"
#include "decoding/scorers/transformer_scorer.h"
#include "tests/support/device_test.h"
#include "tests/support/small_model.h"

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

INSTANTIATE_DEVICES(MakeScorerTest);

}  // namespace
}  // namespace gloss
