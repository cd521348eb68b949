#include "decoding/phrase_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Id kA = 4, kB = 5, kC = 6, kD = 7, kX = 8, kSuffix = 9;

class PhraseProgressTest : public testing::Test {
 protected:
  PhraseProgress after(const std::vector<Ids>& phrases, const Ids& generated) {
    phrases_.clear();
    for (const auto& ids : phrases) phrases_.push_back({{}, ids, true});
    PhraseProgress progress(phrases_, continues_word_);
    for (const auto id : generated) progress.add(id);
    return progress;
  }
  std::int64_t missing(const std::vector<Ids>& phrases, const Ids& generated) {
    return after(phrases, generated).missing();
  }

  std::vector<Phrase> phrases_;
  std::vector<std::uint8_t> continues_word_ = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
};

TEST_F(PhraseProgressTest, EachPieceOfAPhraseLowersTheNumber) {
  EXPECT_EQ(missing({{kA, kB}, {kC}}, {}), 3);
  EXPECT_EQ(missing({{kA, kB}, {kC}}, {kX, kA}), 2);
  EXPECT_EQ(missing({{kA, kB}, {kC}}, {kA, kB}), 1);
  EXPECT_EQ(missing({{kA, kB}, {kC}}, {kC, kX, kX, kA, kB, kX}), 0);
  EXPECT_EQ(missing({}, {kA}), 0);
}

TEST_F(PhraseProgressTest, ABrokenPhraseCountsNoLonger) {
  EXPECT_EQ(missing({{kA, kB, kC}}, {kA, kB}), 1);
  EXPECT_EQ(missing({{kA, kB, kC}}, {kA, kB, kX}), 3);
  EXPECT_EQ(missing({{kA, kB, kC}}, {kA, kB, kX, kC}), 3);
  EXPECT_EQ(missing({{kA, kB, kC}}, {kA, kB, kA}), 2);  // begins again at once
  EXPECT_EQ(missing({{kA, kA, kB}}, {kA, kA, kA}), 1);  // the last two of three match
  EXPECT_EQ(missing({{kA, kA, kB}}, {kA, kA, kA, kB}), 0);
}

TEST_F(PhraseProgressTest, OfPhrasesThatBeginAlikeTheLongestGeneratedCounts) {
  const std::vector<Ids> phrases = {{kA}, {kA, kB, kC}};
  EXPECT_EQ(missing(phrases, {kA, kX}), 3);
  EXPECT_EQ(missing(phrases, {kA, kB}), 2);
  EXPECT_EQ(missing(phrases, {kA, kB, kX}), 3);  // the shorter one stays met
  EXPECT_EQ(missing(phrases, {kA, kB, kC}), 1);
  EXPECT_EQ(missing(phrases, {kA, kB, kC, kA}), 0);
  EXPECT_EQ(missing({{kA, kB}, {kA, kC}}, {kA, kC, kX}), 2);
}

TEST_F(PhraseProgressTest, TheLongestAlternativeCountsWhereverItStands) {
  phrases_ = {{{}, {kB, kC, kD}, true}, {{}, {kA}, true}};
  for (auto& phrase : phrases_) phrase.group = 7;
  EXPECT_EQ(PhraseProgress(phrases_, continues_word_).missing(), 3);
}

TEST_F(PhraseProgressTest, OfAlternativesOneIsEnough) {
  const auto missing_after = [&](const Ids& generated) {
    phrases_ = {{{}, {kA}, true}, {{}, {kA, kSuffix}, true}, {{}, {kB, kC, kD}, true}, {{}, {kX}, true}};
    for (auto i : {0, 1, 2}) phrases_[i].group = 7;
    PhraseProgress progress(phrases_, continues_word_);
    for (const auto id : generated) progress.add(id);
    return progress.missing();
  };
  EXPECT_EQ(missing_after({}), 4) << "the longest alternative and kX";
  EXPECT_EQ(missing_after({kA}), 1);
  EXPECT_EQ(missing_after({kA, kSuffix}), 1);
  EXPECT_EQ(missing_after({kA, kD}), 1);
  EXPECT_EQ(missing_after({kA, kD, kB}), 1) << "the other alternative is not needed any more";
  EXPECT_EQ(missing_after({kB}), 3);
  EXPECT_EQ(missing_after({kB, kC, kD}), 1);
  EXPECT_EQ(missing_after({kB, kC, kA}), 1);
  EXPECT_EQ(missing_after({kB, kC, kX}), 3);
  EXPECT_EQ(missing_after({kA, kSuffix, kX}), 0);
  EXPECT_EQ(missing_after({kX, kB, kC, kD, kA}), 0);
  PhraseProgress progress(phrases_, continues_word_);
  EXPECT_THAT(progress.next(), ElementsAre(kA, kB, kX));
  EXPECT_THAT(progress.continued_by(kB), ElementsAre(true, true, true, false));
  progress.add(kA);
  EXPECT_THAT(progress.next(), ElementsAre(kX));
}

TEST_F(PhraseProgressTest, APieceCountsForOnePhraseOnly) {
  EXPECT_EQ(missing({{kA, kB}, {kB, kC}}, {kA, kB, kC}), 2);
  EXPECT_EQ(missing({{kA, kB}, {kB, kC}}, {kA, kB, kB, kC}), 0);
  EXPECT_EQ(missing({{kA}, {kB, kC}, {kA, kB, kD}}, {kA, kB, kC}), 3);  // the broken match contains two whole phrases
}

TEST_F(PhraseProgressTest, APhraseRequiredTwiceIsGeneratedTwice) {
  EXPECT_EQ(missing({{kA, kB}, {kA, kB}}, {kA, kB, kX}), 2);
  EXPECT_EQ(missing({{kA, kB}, {kA, kB}}, {kA, kB, kA, kB}), 0);
  EXPECT_EQ(missing({{kA}, {kA}}, {kA, kA}), 0);
}

TEST_F(PhraseProgressTest, AContinuedWordIsAnotherWord) {
  EXPECT_EQ(missing({{kA, kB}}, {kA, kB}), 0);
  EXPECT_EQ(missing({{kA, kB}}, {kA, kB, kSuffix}), 2);
  EXPECT_EQ(missing({{kA, kB}}, {kA, kB, kX, kSuffix}), 0);
  EXPECT_EQ(missing({{kA}, {kA, kSuffix}}, {kA, kSuffix}), 1);  // unless that is a phrase
  after({{kA, kB}}, {});
  phrases_[0].ends_in_word = false;
  PhraseProgress progress(phrases_, continues_word_);
  for (const auto id : {kA, kB, kSuffix}) progress.add(id);
  EXPECT_EQ(progress.missing(), 0);
}

TEST_F(PhraseProgressTest, TheNextPiecesAreThoseThatLowerTheNumber) {
  const std::vector<Ids> phrases = {{kA, kB}, {kA, kC}, {kD}};
  EXPECT_THAT(after(phrases, {}).next(), ElementsAre(kA, kD));
  EXPECT_THAT(after(phrases, {kX}).next(), ElementsAre(kA, kD));
  EXPECT_THAT(after(phrases, {kA}).next(), ElementsAre(kB, kC));
  EXPECT_THAT(after(phrases, {kA, kC}).next(), ElementsAre(kA, kD));
  EXPECT_THAT(after(phrases, {kA, kC, kA, kB, kD}).next(), IsEmpty());
  EXPECT_THAT(after({{kA}, {kA, kB}}, {kA}).next(), ElementsAre(kA, kB));
}

// For any phrases, adding next pieces only completes all of them soon, and missing_after predicts missing.
TEST_F(PhraseProgressTest, NextPiecesLeadToTheEnd) {
  std::uint32_t chance = 1;
  const auto draw = [&chance](std::uint32_t below) {
    return (chance = chance * 1664525U + 1013904223U) / 65536 % below;
  };
  for (int trial = 0; trial < 2'000; ++trial) {
    std::vector<Ids> phrases(1 + draw(5));
    for (auto& phrase : phrases)
      for (auto length = 1 + draw(4); length > 0; --length) phrase.push_back(static_cast<Id>(kA + draw(3)));
    auto progress = after(phrases, {});
    for (auto free = draw(6); free > 0; --free) {
      const auto before = progress.missing();
      const auto id = static_cast<Id>(kA + draw(4));
      const auto expected = progress.missing_after(id);
      ASSERT_EQ(progress.missing(), before);
      progress.add(id);
      ASSERT_EQ(progress.missing(), expected);
      ASSERT_GE(progress.missing(), before - 1);
    }
    while (progress.missing() > 0) {
      const auto next = progress.next();
      ASSERT_FALSE(next.empty());
      const auto before = progress.missing();
      progress.add(next[draw(static_cast<std::uint32_t>(next.size()))]);
      ASSERT_EQ(progress.missing(), before - 1);
    }
  }
}

}  // namespace
}  // namespace gloss
