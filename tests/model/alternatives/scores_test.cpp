#include "model/alternatives/scores.h"

#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "model/alternatives/positions.h"
#include "model/attention.h"
#include "model/make_model.h"
#include "tests/support/device_test.h"
#include "tests/support/formula_tensor.h"
#include "tests/support/small_model.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class ScoresTest : public DeviceTest {
 protected:
  const at::Tensor query_ = formula_tensor({2, 4, 3, 8}, device(), 1), key_ = formula_tensor({2, 4, 5, 8}, device(), 2);
};

TEST_P(ScoresTest, DotIsTheScaledDotTimesTheRootOfTheWidth) {
  EXPECT_THAT(DotScore().forward(query_, key_) / std::sqrt(8.0), AllClose(scaled_dot_scores(query_, key_), 1e-6));
}

TEST_P(ScoresTest, CosineIgnoresLengthsAndItsScaleBoundsIt) {
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

TEST_P(ScoresTest, LocationIgnoresTheKeysAndHasALimit) {
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

// The fast twins compute these alone.
TEST_P(ScoresTest, OnlyTheScaledDotWithoutPositionsIsThatOfThePaper) {
  for (const auto& config : all_networks()) {
    torch::nn::Module stack;
    const bool scaled = config.attention_score == AttentionScore::kScaledDot;
    const bool placed = config.positions == Positions::kRotary || config.positions == Positions::kRelative;
    EXPECT_EQ(make_scores(config)->is_scaled_dot(), scaled);
    EXPECT_EQ(self_attention_scores(config, stack, true)()->is_scaled_dot(), scaled && !placed);
  }
}

TEST_P(ScoresTest, PositionsChangeNoName) {
  auto config = small_config();
  config.attention_score = AttentionScore::kGeneral;
  for (const auto positions : {Positions::kRotary, Positions::kRelative}) {
    config.positions = positions;
    torch::nn::Module stack;
    auto scores = self_attention_scores(config, stack, true)();
    EXPECT_THAT(scores->named_parameters().keys(), testing::ElementsAre("weight"));
    scores->to(device(), at::kDouble);
    stack.to(device(), at::kDouble);  // which has the relative positions
    EXPECT_EQ(scores->forward(query_.to(at::kDouble).narrow(3, 0, 4), key_.to(at::kDouble).narrow(3, 0, 4)).dtype(),
              at::kDouble);
    EXPECT_EQ(stack.named_parameters().contains("relative_positions.weight"), positions == Positions::kRelative);
  }
}

// A step of decoding has one query, the last, and the keys so far.
TEST_P(ScoresTest, RotatedScoresOfTheLastQueryAreThoseOfAllQueries) {
  RotaryScores scores{scaled_dot()};
  const auto query = formula_tensor({2, 4, 5, 8}, device());
  EXPECT_THAT(scores.forward(query.narrow(2, 4, 1), key_), AllClose(scores.forward(query, key_).narrow(2, 4, 1), 1e-6));
}

INSTANTIATE_DEVICES(ScoresTest);

}  // namespace
}  // namespace gloss
