#include "decoding/beam.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Id kX = 4, kY = 5, kZ = 6;

class BeamTest : public testing::Test {
 protected:
  static std::vector<Ids> live(const Beam& beam) {
    std::vector<Ids> ids;
    for (const auto& row : beam.rows()) ids.push_back(beam.ids(row));
    return ids;
  }
  static void advance(Beam& beam, const std::vector<Candidate>& candidates) { beam.advance(candidates); }

  DecodingConfig config_{.beam_size = 2, .length_penalty = 0, .n_best = 2};
};

TEST_F(BeamTest, BeginsWithOneEmptyRow) {
  const Beam beam(config_, 9);
  EXPECT_THAT(live(beam), ElementsAre(IsEmpty()));
  EXPECT_FALSE(beam.done());
  EXPECT_THAT(beam.best(), IsEmpty());
}

TEST_F(BeamTest, RowsContinueTheirParents) {
  Beam beam(config_, 9);
  advance(beam, {{0, kX, -1}, {0, kY, -2}, {0, kZ, -3}});
  EXPECT_THAT(live(beam), ElementsAre(Ids{kX}, Ids{kY}));
  advance(beam, {{1, kZ, -2.5}, {0, kZ, -2.75}, {1, kX, -4}});
  EXPECT_THAT(live(beam), ElementsAre(Ids{kY, kZ}, Ids{kX, kZ}));
  EXPECT_EQ(beam.rows()[0].parent, 1);
  EXPECT_EQ(beam.rows()[0].log_probability, -2.5);
}

TEST_F(BeamTest, HypothesesAreReadBackAfterTheirRowsAreGone) {
  Beam beam(config_, 9);
  advance(beam, {{0, kX, -1, 0, -1}, {0, kY, -2, 0, -2}});
  advance(beam, {{1, kZ, -2.5, 0, -0.5}, {1, kX, -3, 0, -1}});
  advance(beam, {{1, kEos, -3.25, 0, -0.25}, {0, kX, -3.5, 0, -1}, {0, kY, -4, 0, -1.5}});
  ASSERT_EQ(beam.best().size(), 1u);
  EXPECT_THAT(beam.best()[0].ids, ElementsAre(kY, kX));
  EXPECT_THAT(beam.best()[0].token_log_probabilities, ElementsAre(-2, -1, -0.25));
  EXPECT_THAT(live(beam), ElementsAre(Ids{kY, kZ, kX}, Ids{kY, kZ, kY}));
  EXPECT_EQ(beam.length(), 3);
}

TEST_F(BeamTest, TokensAreCertainThatAllLiveRowsAndTheBestFinishedOneHave) {
  Beam beam(config_, 9);
  EXPECT_THAT(beam.certain().ids, IsEmpty());
  advance(beam, {{0, kX, -1, 0, -1}, {0, kY, -2, 0, -2}});
  EXPECT_THAT(beam.certain().ids, IsEmpty());
  advance(beam, {{1, kZ, -2.5, 0, -0.5}, {1, kX, -3, 0, -1}});
  EXPECT_THAT(beam.certain().ids, ElementsAre(kY));
  EXPECT_THAT(beam.certain().token_log_probabilities, ElementsAre(-2));
  advance(beam, {{0, kX, -2.75, 0, -0.25}, {1, kEos, -3.25, 0, -0.25}, {0, kY, -4, 0, -1.5}});
  EXPECT_THAT(beam.certain().ids, ElementsAre(kY)) << "Y X is finished, the live ones begin with Y Z";
  advance(beam, {{0, kX, -2.8125, 0, -0.0625}, {0, kEos, -2.875, 0, -0.125}, {0, kZ, -9, 0, -6}});
  ASSERT_FALSE(beam.done());
  EXPECT_THAT(beam.certain().ids, ElementsAre(kY, kZ, kX)) << "the one that finished first can no longer be the best";
  advance(beam, {{0, kEos, -3.5, 0, -0.5}, {0, kX, -4, 0, -1}});
  ASSERT_TRUE(beam.done());
  EXPECT_EQ(beam.certain().ids, beam.best().front().ids);
}

TEST_F(BeamTest, AFinishedHypothesisThatNoLiveOneCanBeatIsCertain) {
  Beam beam(config_, 9);
  advance(beam, {{0, kX, -0.25, 0, -0.25}, {0, kY, -3, 0, -3}});
  advance(beam, {{0, kEos, -0.5, 0, -0.25}, {1, kZ, -4, 0, -1}, {1, kX, -5, 0, -2}});
  ASSERT_FALSE(beam.done()) << "two are wanted";
  EXPECT_THAT(beam.certain().ids, ElementsAre(kX));
  EXPECT_THAT(beam.certain().token_log_probabilities, ElementsAre(-0.25));
}

TEST_F(BeamTest, OnlyTheFirstBeamSizeMayFinishAndTheNextRowTakesTheirPlace) {
  Beam beam(config_, 9);
  advance(beam, {{0, kEos, -1}, {0, kX, -1.5}, {0, kEos, -2}, {0, kY, -3}});
  EXPECT_THAT(live(beam), ElementsAre(Ids{kX}, Ids{kY}));
  ASSERT_EQ(beam.best().size(), 1u);
  EXPECT_EQ(beam.best()[0].log_probability, -1);
  EXPECT_TRUE(beam.best()[0].ended);
}

TEST_F(BeamTest, AtTheLimitRowsEndAsTheyStand) {
  Beam beam(config_, 1);
  advance(beam, {{0, kX, -1}, {0, kEos, -2}, {0, kY, -3}});
  EXPECT_TRUE(beam.done());
  ASSERT_EQ(beam.best().size(), 2u);
  EXPECT_FALSE(beam.best()[0].ended);
  EXPECT_TRUE(beam.best()[1].ended);
}

TEST_F(BeamTest, CoverageIsOfTheTokensOfARow) {
  config_.coverage_penalty = 1;
  Beam beam(config_, 9);
  const std::vector<float> first = {0.5F, 0.25F}, second = {0.25F, 0.25F, 0.125F, 0.75F}, third = {0, 0.25F, 0, 0};
  beam.advance(std::vector<Candidate>{{0, kX, -1}, {0, kY, -2}}, first);
  beam.advance(std::vector<Candidate>{{1, kZ, -3}, {0, kZ, -4}}, second);
  EXPECT_THAT(beam.rows()[0].coverage, ElementsAre(0.625F, 1));
  EXPECT_THAT(beam.rows()[1].coverage, ElementsAre(0.75F, 0.5F));
  beam.advance(std::vector<Candidate>{{0, kEos, -5}, {1, kEos, -5.5}}, third);
  ASSERT_EQ(beam.best().size(), 2u);
  EXPECT_THAT(beam.best()[0].ids, ElementsAre(kY, kZ));
  EXPECT_NEAR(beam.best()[0].score, -5 + std::log(0.625), 1e-6);
  EXPECT_NEAR(beam.best()[1].score, -5.5 + std::log(0.75 * 0.5), 1e-6);
}

TEST_F(BeamTest, IfNothingMayFollowLiveRowsEndAsTheyAre) {
  Beam beam(config_, 9);
  advance(beam, {{0, kX, -1}});
  advance(beam, {});
  EXPECT_TRUE(beam.done());
  ASSERT_EQ(beam.best().size(), 1u);
  EXPECT_THAT(beam.best()[0].ids, ElementsAre(kX));
}

TEST_F(BeamTest, AFinishedHypothesisLowersAShrinkingBeamByOne) {
  config_.beam_size = config_.n_best = 3;
  config_.shrinking_beam = true;
  Beam beam(config_, 9);
  advance(beam, {{0, kX, -1}, {0, kEos, -1.5}, {0, kY, -2}, {0, kZ, -3}});
  EXPECT_THAT(live(beam), ElementsAre(Ids{kX}, Ids{kY}));
  advance(beam, {{0, kX, -1.25}, {1, kEos, -2.5}, {0, kEos, -3}, {1, kZ, -3.5}});
  EXPECT_THAT(live(beam), ElementsAre(Ids{kX, kX}));
  EXPECT_EQ(beam.finished().size(), 2u);
  advance(beam, {{0, kEos, -4}, {0, kX, -5}});
  EXPECT_THAT(live(beam), IsEmpty());
  EXPECT_TRUE(beam.done());
  EXPECT_EQ(beam.best().size(), 3u);
}

TEST_F(BeamTest, IsDoneWhenNoLiveOneCanWin) {
  Beam beam(config_, 9);
  advance(beam, {{0, kEos, -1}, {0, kX, -1.5}, {0, kY, -3}});
  EXPECT_FALSE(beam.done()) << "the second best may still come";
  advance(beam, {{0, kEos, -2}, {0, kX, -2.5}, {1, kX, -4}});
  EXPECT_TRUE(beam.done());
}

}  // namespace
}  // namespace gloss
