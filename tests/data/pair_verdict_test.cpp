#include "data/pair_verdict.h"

#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(PairVerdictTest, OneSideDecides) {
  const JudgedLine good{.pieces = 3};
  const auto expect = [&](const JudgedLine& bad, PairVerdict verdict) {
    EXPECT_EQ(judge_pair(bad, good, 4), verdict);
    EXPECT_EQ(judge_pair(good, bad, 4), verdict);
  };
  expect(good, PairVerdict::kUsed);
  expect({.pieces = 4}, PairVerdict::kTooLong);  // and eos
  expect({.pieces = 0}, PairVerdict::kEmpty);
  expect({.is_text = false}, PairVerdict::kInvalid);
  expect({.cut = true}, PairVerdict::kTooLong);
}

TEST(PairVerdictTest, AnEarlierReasonHidesALaterOne) {
  EXPECT_EQ(judge_pair({.cut = true}, {.is_text = false}, 4), PairVerdict::kTooLong);
  EXPECT_EQ(judge_pair({.is_text = false}, {.pieces = 0}, 4), PairVerdict::kInvalid);
  EXPECT_EQ(judge_pair({.pieces = 0}, {.pieces = 9}, 4), PairVerdict::kEmpty);
}

TEST(PairVerdictTest, WithoutALimitEveryLengthIsUsed) {
  EXPECT_EQ(judge_pair({.pieces = 1'000'000}, {.pieces = 1}, 0), PairVerdict::kUsed);
}

}  // namespace
}  // namespace gloss
