#include "data/pair_verdict.h"

#include <string>
#include <vector>

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

TEST(PairVerdictTest, TheLongerSideMayHaveMaxRatioTimesThePiecesOfTheOther) {
  const PairFilters filters{.max_ratio = 2.5};
  const auto judge = [&](std::int64_t a, std::int64_t b) {
    const auto verdict = judge_pair({.pieces = a}, {.pieces = b}, 0, filters);
    EXPECT_EQ(judge_pair({.pieces = b}, {.pieces = a}, 0, filters), verdict) << a << ' ' << b;
    return verdict;
  };
  EXPECT_EQ(judge(10, 4), PairVerdict::kUsable) << "2.5 times";
  EXPECT_EQ(judge(11, 4), PairVerdict::kRatio);
  EXPECT_EQ(judge(3, 1), PairVerdict::kRatio) << "short pairs, too";
  EXPECT_EQ(judge_pair({.pieces = 1000}, {.pieces = 1}, 0), PairVerdict::kUsable) << "no filter";
  EXPECT_EQ(judge_pair({.pieces = 1}, {.pieces = 2}, 0, {.max_ratio = 1}), PairVerdict::kRatio);
}

TEST(PairVerdictTest, ACopyIsAnEqualLine) {
  const PairFilters filters{.skip_copied = true};
  const JudgedLine line{.pieces = 1, .text = "a b"}, other{.pieces = 1, .text = "a  b"};
  EXPECT_EQ(judge_pair(line, line, 0, filters), PairVerdict::kCopied);
  EXPECT_EQ(judge_pair(line, other, 0, filters), PairVerdict::kUsable);
  EXPECT_EQ(judge_pair(line, line, 0), PairVerdict::kUsable) << "no filter";
  const TextLine text{.text = "a"};
  EXPECT_EQ(judge_pair(JudgedLine::of(text), JudgedLine::of(text), 0, filters), PairVerdict::kCopied);
}

TEST(PairVerdictTest, FiltersJudgePairsThatAreUsableOtherwise) {
  const PairFilters filters{.max_ratio = 2, .skip_copied = true};
  EXPECT_EQ(judge_pair({.pieces = 0}, {.pieces = 9}, 20, filters), PairVerdict::kEmpty);
  EXPECT_EQ(judge_pair({.pieces = 20}, {.pieces = 1}, 20, filters), PairVerdict::kTooLong);
  EXPECT_EQ(judge_pair({.pieces = 9}, {.pieces = 1}, 20, filters), PairVerdict::kRatio);
  EXPECT_EQ(judge_pair({.is_text = false}, {.is_text = false}, 20, filters), PairVerdict::kInvalid);
}

TEST(RepeatedPairsTest, TheFirstOfEqualPairsIsUsed) {
  RepeatedPairs repeated(std::vector<std::vector<std::size_t>>(1));
  EXPECT_EQ(repeated.judge(0, "a", "A"), PairVerdict::kUsable);
  EXPECT_EQ(repeated.judge(0, "a", "B"), PairVerdict::kUsable) << "another target";
  EXPECT_EQ(repeated.judge(0, "A", "a"), PairVerdict::kUsable) << "the other direction";
  for (int i = 0; i < 2; ++i) EXPECT_EQ(repeated.judge(0, "a", "A"), PairVerdict::kRepeated);
}

TEST(RepeatedPairsTest, ATextIsComparedWithItsEarlierTexts) {
  RepeatedPairs repeated({{}, {0}, {1}});  // texts 0 and 2 have no stage in common
  EXPECT_EQ(repeated.judge(0, "a", "A"), PairVerdict::kUsable);
  EXPECT_EQ(repeated.judge(1, "a", "A"), PairVerdict::kRepeated);
  EXPECT_EQ(repeated.judge(1, "b", "B"), PairVerdict::kUsable);
  EXPECT_EQ(repeated.judge(2, "a", "A"), PairVerdict::kUsable) << "text 1 has it, but does not use it";
  EXPECT_EQ(repeated.judge(2, "b", "B"), PairVerdict::kRepeated);
}

TEST(PairVerdictTest, ATextHasAnotherEncodingAboveOnePercent) {
  EXPECT_FALSE(has_other_encoding(1, 100));
  EXPECT_TRUE(has_other_encoding(2, 199));
  EXPECT_FALSE(has_other_encoding(0, 0));
}

TEST(LineHashesTest, KeepEachHashWhileTheyGrow) {
  LineHashes hashes;
  EXPECT_FALSE(hashes.contains(hash_of_line("0")));
  for (int i = 0; i < 10'000; ++i) {
    EXPECT_TRUE(hashes.insert(hash_of_line(std::to_string(i)))) << i;
    EXPECT_FALSE(hashes.insert(hash_of_line(std::to_string(i / 2)))) << i;
  }
  EXPECT_EQ(hashes.size(), 10'000u);
  for (int i = 0; i < 20'000; ++i) EXPECT_EQ(hashes.contains(hash_of_line(std::to_string(i))), i < 10'000) << i;
}

TEST(LineHashesTest, HashesThatFallIntoOnePlaceAreKeptApart) {
  LineHashes hashes;
  for (std::uint64_t i = 1; i <= 1000; ++i) EXPECT_TRUE(hashes.insert(i << 32)) << i;
  for (std::uint64_t i = 1; i <= 1000; ++i) EXPECT_TRUE(hashes.contains(i << 32)) << i;
  EXPECT_FALSE(hashes.contains(std::uint64_t{1001} << 32));
}

TEST(LineHashesTest, APairIsMoreThanItsLines) {
  EXPECT_EQ(hash_of_pair("a", "b"), hash_of_pair("a", "b"));
  EXPECT_NE(hash_of_pair("a", "b"), hash_of_pair("b", "a"));
  EXPECT_NE(hash_of_pair("ab", "c"), hash_of_pair("a", "bc"));
  EXPECT_NE(hash_of_line(""), 0u);
}

}  // namespace
}  // namespace gloss
