#include "model/alternatives/score_function.h"

#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "model/alternatives/cosine_score.h"
#include "model/alternatives/dot_score.h"
#include "model/alternatives/location_score.h"
#include "model/attention.h"
#include "tests/support/device_test.h"
#include "tests/support/formula_tensor.h"
#include "tests/support/small_model.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class ScoreFunctionTest : public DeviceTest {
 protected:
  const at::Tensor query_ = formula_tensor({2, 4, 3, 8}, device(), 1), key_ = formula_tensor({2, 4, 5, 8}, device(), 2);
};

TEST_P(ScoreFunctionTest, DotIsTheScaledDotTimesTheRootOfTheWidth) {
  EXPECT_THAT(DotScore().forward(query_, key_) / std::sqrt(8.0), AllClose(scaled_dot_scores(query_, key_), 1e-6));
}

TEST_P(ScoreFunctionTest, CosineIgnoresLengthsAndItsScaleBoundsIt) {
  CosineScore score(4);
  score.to(device());
  const at::NoGradGuard no_grad;
  const auto scores = score.forward(query_, key_);  // log_scale is 0: a scale of 1
  EXPECT_THAT(score.forward(query_ * 7, key_ / 3), AllClose(scores, 1e-5));
  EXPECT_LE(scores.abs().max().item<float>(), 1 + 1e-5F);
  EXPECT_THAT(score.forward(query_, query_).diagonal(0, 2, 3), AllClose(at::ones_like(query_.select(-1, 0)), 1e-5));
  score.named_parameters()["log_scale"].select(0, 1).fill_(std::log(3.0));
  EXPECT_THAT(score.forward(query_, key_).select(1, 1), AllClose(scores.select(1, 1) * 3, 1e-5));
  EXPECT_THAT(score.forward(query_, key_).select(1, 2), AllClose(scores.select(1, 2), 1e-6));
}

TEST_P(ScoreFunctionTest, LocationIgnoresTheKeysAndHasALimit) {
  LocationScore score(5, 4, 8);
  score.to(device());
  const at::NoGradGuard no_grad;
  score.named_parameters()["weight"].copy_(formula_tensor({5, 32}, device(), 3));
  EXPECT_THAT(score.forward(query_, key_ * 2 + 1), SameAs(score.forward(query_, key_)));
  EXPECT_THAT(
      [&] {
        score.forward(query_, formula_tensor({2, 4, 6, 8}, device()));
      },
      ThrowsMessage<UsageError>(HasSubstr("model.max_positions")));
}

TEST_P(ScoreFunctionTest, TheScaledDotNeedsNoModule) {
  EXPECT_FALSE(make_score_function(small_config()));
  for (const auto& config : all_alternatives())
    EXPECT_EQ(static_cast<bool>(make_score_function(config)), config.attention_score != AttentionScore::kScaledDot);
}

INSTANTIATE_DEVICES(ScoreFunctionTest);

}  // namespace
}  // namespace gloss
