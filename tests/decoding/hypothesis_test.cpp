#include "decoding/hypothesis.h"

#include <gtest/gtest.h>

namespace gloss {
namespace {

// log(1/8) over three tokens; the wanted values were worked out apart from this program.
constexpr double kLogEighth = -2.0794415416798357;

TEST(HypothesisTest, PowerDividesByLengthToThePenalty) {
  DecodingConfig config;
  config.length_penalty = 0.6;
  EXPECT_NEAR(length_normalised(kLogEighth, 3, config), -1.0756573842, 1e-9);
  config.length_penalty = 1;
  EXPECT_NEAR(length_normalised(kLogEighth, 3, config), -0.6931471806, 1e-9);
}

TEST(HypothesisTest, GnmtDividesByFivePlusLengthOverSixToThePenalty) {
  DecodingConfig config;
  config.length_penalty_kind = LengthPenaltyKind::kGnmt;
  config.length_penalty = 0.6;
  EXPECT_NEAR(length_normalised(kLogEighth, 3, config), -1.7497801030, 1e-9);
}

TEST(HypothesisTest, WithoutPenaltyTheScoreIsTheLogProbability) {
  DecodingConfig config;
  config.length_penalty = 0;
  for (const auto kind : {LengthPenaltyKind::kPower, LengthPenaltyKind::kGnmt}) {
    config.length_penalty_kind = kind;
    EXPECT_EQ(length_normalised(kLogEighth, 17, config), kLogEighth);
  }
}

TEST(HypothesisTest, LengthCountsTheEosWhereThereIsOne) {
  const DecodingConfig config;
  EXPECT_DOUBLE_EQ(make_hypothesis({4, 5}, -6, true, config).score, -2);
  EXPECT_DOUBLE_EQ(make_hypothesis({4, 5}, -6, false, config).score, -3);
  EXPECT_DOUBLE_EQ(make_hypothesis({}, 0, false, config).score, 0);
}

}  // namespace
}  // namespace gloss
