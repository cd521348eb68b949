// Conditions under which beam search finishes a hypothesis and stops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decoding/search.h"
#include "tests/decoding/fake_scorer.h"
#include "tests/support/device_test.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

using Step = std::pair<std::int64_t, std::int64_t>;

class SearchTerminationTest : public DeviceTest {
 protected:
  DecodingConfig config_{.beam_size = 2, .length_penalty = 0};

  std::vector<Hypothesis> search_one(const Scorer& scorer) {
    return beam_search(scorer, sources(1, device()), config_).at(0);
  }
};

TEST_P(SearchTerminationTest, OnlyTheFirstBeamSizeCandidatesMayFinish) {
  // The eos of the first step is third of four: were it to finish, it would be the best of all.
  const FakeScorer scorer(table({{{}, {{kA, 0.4}, {kB, 0.35}, {kEos, 0.25}}},
                                 {{kA}, {{kEos, 0.5}, {kA, 0.5}}},
                                 {{kB}, {{kEos, 0.5}, {kA, 0.25}, {kB, 0.25}}}},
                                kWords),
                          kWords, device());
  EXPECT_THAT(ids_of(search_one(scorer)), ElementsAre(Ids{kA}));
}

TEST_P(SearchTerminationTest, AFinishedCandidateIsReplacedByTheNextBest) {
  // eos is the best of the first step, so A and C live on; C, third of four, then wins on length.
  const FakeScorer scorer(table({{{}, {{kEos, 0.4}, {kA, 0.35}, {kC, 0.25}}},
                                 {{kA}, {{kA, 0.2}, {kB, 0.2}, {kC, 0.2}, {kUnk, 0.2}, {kEos, 0.2}}},
                                 {{kC}, {{kB, 1}}}},
                                kWords),
                          kWords, device());
  config_.length_penalty = 1;
  EXPECT_THAT(ids_of(search_one(scorer)), ElementsAre(Ids{kC, kB}));
}

class PatienceTest : public SearchTerminationTest {
 protected:
  // Two hypotheses are finished after two steps, "" with 0.3 and "A" with 0.3; "A A A A A A" would win by its length.
  FakeScorer scorer() {
    const FakeScorer::Rule rule = [](const Ids&, const Ids& generated) {
      if (generated.empty()) return log_of({{kA, 0.6}, {kEos, 0.3}, {kB, 0.1}}, kWords);
      if (generated[0] == kB) return log_of({{kB, 1}}, kWords);
      if (generated.size() == 1) return log_of({{kEos, 0.5}, {kA, 0.5}}, kWords);
      return log_of({{generated.size() < 6 ? kA : kEos, 1}}, kWords);
    };
    return FakeScorer(rule, kWords, device());
  }
};

TEST_P(PatienceTest, SearchIsDoneWithBeamSizeFinishedHypotheses) {
  config_.length_penalty = 1;
  const auto fake = scorer();
  EXPECT_THAT(ids_of(search_one(fake)), ElementsAre(Ids{kA}));
  EXPECT_THAT(fake.steps(), SizeIs(2));
}

TEST_P(PatienceTest, MorePatienceFinishesMoreHypotheses) {
  config_.length_penalty = 1;
  config_.patience = 1.5;
  EXPECT_THAT(ids_of(search_one(scorer())), ElementsAre(Ids{kA, kA, kA, kA, kA, kA}));
}

TEST_P(PatienceTest, LessPatienceFinishesFewer) {
  config_.length_penalty = 1;
  config_.patience = 0.5;
  const auto fake = scorer();
  EXPECT_THAT(ids_of(search_one(fake)), ElementsAre(Ids{}));
  EXPECT_THAT(fake.steps(), SizeIs(1));
}

// The first of the sums 0.3, 0.3 and 0.3 wins if no live hypothesis has more.
TEST_P(PatienceTest, HasNoEffectOnTheBestWithoutALengthPenalty) {
  for (const double patience : {0.5, 1.0, 3.0}) {
    config_.patience = patience;
    const auto fake = scorer();
    EXPECT_THAT(ids_of(search_one(fake)), ElementsAre(Ids{}));
    EXPECT_THAT(fake.steps(), SizeIs(2)) << patience;
  }
}

TEST_P(SearchTerminationTest, WithoutLengthPenaltyALeadingLiveHypothesisIsKept) {
  // "" with 0.05 and "A" with 0.09 are finished after two steps, when "A A" is live with 0.72.
  const FakeScorer scorer(
      table({{{}, {{kA, 0.9}, {kEos, 0.05}, {kB, 0.05}}}, {{kA}, {{kA, 0.8}, {kEos, 0.1}, {kB, 0.1}}}}, kWords), kWords,
      device());
  EXPECT_THAT(ids_of(search_one(scorer)), ElementsAre(Ids{kA, kA}));
  config_.length_penalty = 1;
  EXPECT_THAT(ids_of(search_one(scorer)), ElementsAre(Ids{kA}));
}

class EarlyStopTest : public SearchTerminationTest {
 protected:
  // "" has 0.9; "A A A ..." has 0.1 and is certain from there on, 60 tokens long.
  FakeScorer scorer(std::int64_t limit) {
    const FakeScorer::Rule rule = [](const Ids&, const Ids& generated) {
      if (generated.empty()) return log_of({{kEos, 0.9}, {kA, 0.1}}, kWords);
      return log_of({{generated.size() < 59 ? kA : kEos, 1}}, kWords);
    };
    return FakeScorer(rule, kWords, device(), {.max_target_length = limit});
  }
};

TEST_P(EarlyStopTest, StopsWhenNoLiveHypothesisCanStillWin) {
  auto fake = scorer(100);
  EXPECT_THAT(ids_of(search_one(fake)), ElementsAre(Ids{}));
  EXPECT_THAT(fake.steps(), SizeIs(1));
}

TEST_P(EarlyStopTest, ContinuesWhileALongerOneCouldStillWin) {
  config_.length_penalty = 1;  // log(0.1) / 60 = -0.04 against log(0.9) = -0.11
  auto fake = scorer(100);
  EXPECT_THAT(search_one(fake).at(0).ids, SizeIs(59));
}

TEST_P(EarlyStopTest, TheLimitOfLengthBoundsWhatALongerOneCouldWin) {
  config_.length_penalty = 1;  // at best log(0.1) / 20 = -0.12
  auto fake = scorer(20);
  EXPECT_THAT(ids_of(search_one(fake)), ElementsAre(Ids{}));
  EXPECT_THAT(fake.steps(), SizeIs(1));
}

TEST_P(EarlyStopTest, ContinuesUntilTheNBestAreFinished) {
  config_.n_best = 2;
  auto fake = scorer(100);
  const auto result = search_one(fake);
  ASSERT_THAT(result, SizeIs(2));
  EXPECT_THAT(result[1].ids, SizeIs(59));
}

TEST_P(SearchTerminationTest, TheLimitOfLengthEndsHypothesesAsTheyStand) {
  const FakeScorer::Rule forever = [](const Ids&, const Ids&) { return log_of({{kA, 0.5}, {kB, 0.25}}, kWords); };
  const FakeScorer scorer(forever, kWords, device(), {.max_target_length = 3, .normalized = false});
  config_ = {.beam_size = 2, .length_penalty = 1, .n_best = 2};
  auto result = search_one(scorer);
  EXPECT_THAT(ids_of(result), ElementsAre(Ids{kA, kA, kA}, Ids{kA, kA, kB}));
  EXPECT_FALSE(result[0].ended);
  EXPECT_NEAR(result[0].score, -0.6931471806, 1e-6);  // 3 log(1/2) / 3: no eos to count
  EXPECT_NEAR(result[1].score, -0.9241962407, 1e-6);  // (2 log(1/2) + log(1/4)) / 3
  config_.max_length = 1;
  EXPECT_THAT(ids_of(search_one(scorer)), ElementsAre(Ids{kA}, Ids{kB}));
}

TEST_P(SearchTerminationTest, HypothesesWithoutProbabilityAreNotMadeUp) {
  const FakeScorer scorer(table({{{}, {{kA, 0.5}, {kB, 0.5}}}}, kWords), kWords, device());
  config_ = {.beam_size = 5, .length_penalty = 1, .n_best = 5};
  EXPECT_THAT(ids_of(search_one(scorer)), ElementsAre(Ids{kA}, Ids{kB}));
}

TEST_P(SearchTerminationTest, IfNothingMayFollowLiveHypothesesEndAsTheyAre) {
  const auto rule = table({{{}, {{kA, 0.5}, {kB, 0.25}}}, {{kA}, {}}, {{kB}, {}}}, kWords);
  config_.n_best = 2;
  const auto result = search_one(FakeScorer(rule, kWords, device(), {.normalized = false}));
  EXPECT_THAT(ids_of(result), ElementsAre(Ids{kA}, Ids{kB}));
  EXPECT_FALSE(result[0].ended);
}

TEST_P(SearchTerminationTest, ADeadEndIsNoHypothesisIfAnotherIsFinished) {
  const auto rule = table({{{}, {{kA, 0.5}, {kEos, 0.25}}}, {{kA}, {}}}, kWords);
  config_.n_best = 2;
  EXPECT_THAT(ids_of(search_one(FakeScorer(rule, kWords, device(), {.normalized = false}))), ElementsAre(Ids{}));
}

TEST_P(SearchTerminationTest, FinishedSentencesLeaveTheBatch) {
  const FakeScorer::Rule as_long_as_its_number = [](const Ids& source, const Ids& generated) {
    return log_of({{std::ssize(generated) < source[0] - 4 ? source[0] : kEos, 0.9}, {kUnk, 0.1}}, 20);
  };
  const FakeScorer scorer(as_long_as_its_number, 20, device());
  const auto result = beam_search(scorer, sources(3, device()), config_);
  EXPECT_THAT(ids_of(result[0]), ElementsAre(Ids{}));
  EXPECT_THAT(ids_of(result[1]), ElementsAre(Ids{5}));
  EXPECT_THAT(ids_of(result[2]), ElementsAre(Ids{6, 6}));
  EXPECT_THAT(scorer.steps(), ElementsAre(Step{3, 1}, Step{2, 2}, Step{1, 2}));
}

INSTANTIATE_DEVICES(SearchTerminationTest);
INSTANTIATE_DEVICES(PatienceTest);
INSTANTIATE_DEVICES(EarlyStopTest);

}  // namespace
}  // namespace gloss
