#include "decoding/hypothesis.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace gloss {
namespace {

// The hypothesis has log(1/8) over three tokens. The expected values were computed independently of this program.
constexpr double kLogEighth = -2.0794415416798357;

TEST(HypothesisTest, PowerDividesByLengthToThePenalty) {
  DecodingConfig config;
  config.length_penalty = 0.6;
  EXPECT_NEAR(length_normalized(kLogEighth, 3, config), -1.0756573842, 1e-9);
  config.length_penalty = 1;
  EXPECT_NEAR(length_normalized(kLogEighth, 3, config), -0.6931471806, 1e-9);
}

TEST(HypothesisTest, GnmtDividesByFivePlusLengthOverSixToThePenalty) {
  DecodingConfig config;
  config.length_penalty_kind = LengthPenaltyKind::kGnmt;
  config.length_penalty = 0.6;
  EXPECT_NEAR(length_normalized(kLogEighth, 3, config), -1.7497801030, 1e-9);
}

TEST(HypothesisTest, WithoutPenaltyTheScoreIsTheLogProbability) {
  DecodingConfig config;
  config.length_penalty = 0;
  for (const auto kind : {LengthPenaltyKind::kPower, LengthPenaltyKind::kGnmt}) {
    config.length_penalty_kind = kind;
    EXPECT_EQ(length_normalized(kLogEighth, 17, config), kLogEighth);
  }
}

TEST(HypothesisTest, LengthCountsTheEosIfThereIsOne) {
  const DecodingConfig config;
  EXPECT_DOUBLE_EQ(score_of({.ids = {4, 5}, .log_probability = -6, .ended = true}, config), -2);
  EXPECT_DOUBLE_EQ(score_of({.ids = {4, 5}, .log_probability = -6, .ended = false}, config), -3);
  EXPECT_DOUBLE_EQ(score_of({.ids = {}, .log_probability = 0, .ended = false}, config), 0);
}

TEST(HypothesisTest, CoverageCostsUnattendedPositions) {
  const DecodingConfig config{.length_penalty = 0, .coverage_penalty = 0.2};
  const std::vector<float> all = {1, 1.5F}, some = {1.5F, 0.5F, 0.25F}, none = {1, 0};
  EXPECT_EQ(coverage_score(all, config), 0);
  EXPECT_NEAR(coverage_score(some, config), -0.4158883083, 1e-9);  // 0.2 log(0.5 * 0.25)
  EXPECT_NEAR(coverage_score(none, config), 0.2 * std::log(1e-10), 1e-9);
  EXPECT_NEAR(score_of({.ids = {4}, .log_probability = -1.0, .ended = true}, config, some), -1.4158883083, 1e-9);
  EXPECT_EQ(score_of({.ids = {4}, .log_probability = -1.0, .ended = true}, config), -1);
}

}  // namespace
}  // namespace gloss
