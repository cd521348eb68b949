#include "data/pair_verdict.h"

#include <string>

#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(PairVerdictTest, OneSideDecides) {
  const JudgedLine good{.pieces = 3};
  const auto expect = [&](const JudgedLine& bad, PairVerdict verdict) {
    EXPECT_EQ(judge_pair(bad, good, 4), verdict);
    EXPECT_EQ(judge_pair(good, bad, 4), verdict);
  };
  expect(good, PairVerdict::kUsable);
  expect({.pieces = 4}, PairVerdict::kTooLong);  // with eos
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
  EXPECT_EQ(judge_pair({.pieces = 1'000'000}, {.pieces = 1}, 0), PairVerdict::kUsable);
}

TEST(PairVerdictTest, WithoutATokenizerALineWithWordsIsAPiece) {
  const auto judge = [](const std::string& source, bool cut = false) {
    return judge_pair(JudgedLine::of({.text = source, .cut = cut}), JudgedLine::of({.text = "target"}), 0);
  };
  EXPECT_EQ(judge("a"), PairVerdict::kUsable);
  EXPECT_EQ(judge(" \t\v"), PairVerdict::kEmpty);
  EXPECT_EQ(judge("\xff"), PairVerdict::kInvalid);
  EXPECT_EQ(judge(std::string("\0", 1)), PairVerdict::kInvalid);
  EXPECT_EQ(judge("a", /*cut=*/true), PairVerdict::kTooLong);
}

TEST(PairVerdictTest, BytesAloneDecideBeforeALineIsEncoded) {
  EXPECT_EQ(judge_bytes({.cut = true}, {}), PairVerdict::kTooLong);
  EXPECT_EQ(judge_bytes({}, {.is_text = false}), PairVerdict::kInvalid);
  EXPECT_EQ(judge_bytes({}, {}), PairVerdict::kUsable) << "whatever its pieces";
}

TEST(PairVerdictTest, ATextHasAnotherEncodingAboveOnePercent) {
  EXPECT_FALSE(has_other_encoding(1, 100));
  EXPECT_TRUE(has_other_encoding(2, 199));
  EXPECT_FALSE(has_other_encoding(0, 0));
}

}  // namespace
}  // namespace gloss
