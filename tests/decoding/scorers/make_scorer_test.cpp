#include "decoding/scorers/make_scorer.h"

#include <gtest/gtest.h>

#include "decoding/scorers/inference_scorer.h"
#include "decoding/scorers/transformer_scorer.h"
#include "tests/support/device_test.h"
#include "tests/support/small_model.h"

namespace gloss {
namespace {

class MakeScorerTest : public DeviceTest {};

TEST_P(MakeScorerTest, SuitsTheModelsDevice) {
  const auto scorer = make_scorer(small_model(device()), small_config(), 12);
  EXPECT_EQ(dynamic_cast<const InferenceScorer*>(scorer.get()) != nullptr, device().is_cpu());
  EXPECT_EQ(dynamic_cast<const TransformerScorer*>(scorer.get()) != nullptr, !device().is_cpu());
  EXPECT_EQ(scorer->device(), device());
  EXPECT_EQ(scorer->max_target_length(), 12);
  EXPECT_EQ(scorer->vocabulary_size(), 20);
}

INSTANTIATE_DEVICES(MakeScorerTest);

}  // namespace
}  // namespace gloss
