#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decoding/search.h"
#include "tests/decoding/fake_scorer.h"
#include "tests/support/device_test.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class GreedySearchTest : public DeviceTest {
 protected:
  DecodingConfig config_{.beam_size = 1, .length_penalty = 0};
};

TEST_P(GreedySearchTest, TakesTheLikeliestTokenAtEveryStep) {
  const FakeScorer scorer(
      table(
          {{{}, {{kA, 0.6}, {kB, 0.4}}}, {{kA}, {{kEos, 0.4}, {kA, 0.3}, {kB, 0.3}}}, {{kB}, {{kEos, 0.9}, {kA, 0.1}}}},
          kWords),
      kWords, device());
  const auto result = greedy_search(scorer, sources(1, device()), config_);
  ASSERT_EQ(result.size(), 1u);
  EXPECT_THAT(result[0].ids, ElementsAre(kA));
  EXPECT_TRUE(result[0].ended);
  EXPECT_NEAR(result[0].log_probability, -1.4271163556, 1e-6);  // log(0.6 * 0.4), eos counted
}

TEST_P(GreedySearchTest, TiesGoToTheLowerId) {
  const FakeScorer scorer(table({{{}, {{kC, 0.25}, {kB, 0.25}, {kA, 0.125}}}}, kWords), kWords, device());
  EXPECT_THAT(greedy_search(scorer, sources(1, device()), config_)[0].ids, ElementsAre(kB));
}

TEST_P(GreedySearchTest, NothingIsBanned) {
  const FakeScorer scorer(table({{{}, {{kPad, 1}}}, {{kPad}, {{kBos, 1}}}, {{kPad, kBos}, {{kUnk, 1}}}}, kWords),
                          kWords, device());
  EXPECT_THAT(greedy_search(scorer, sources(1, device()), config_)[0].ids, ElementsAre(kPad, kBos, kUnk));
}

TEST_P(GreedySearchTest, EndsAsItStandsAtTheLimitOfLength) {
  const FakeScorer::Rule forever = [](const Ids&, const Ids&) { return log_of({{kA, 0.5}, {kEos, 0.25}}, kWords); };
  const FakeScorer scorer(forever, kWords, device(), {.max_target_length = 4, .normalized = false});
  config_.length_penalty = 1;
  auto result = greedy_search(scorer, sources(1, device()), config_)[0];
  EXPECT_THAT(result.ids, ElementsAre(kA, kA, kA, kA));
  EXPECT_FALSE(result.ended);
  EXPECT_NEAR(result.score, -0.6931471806, 1e-6);  // 4 log(1/2) / 4
  config_.max_length = 2;
  EXPECT_THAT(greedy_search(scorer, sources(1, device()), config_)[0].ids, ElementsAre(kA, kA));
}

TEST_P(GreedySearchTest, DoesNotEndBeforeTheMinimumOfLength) {
  const FakeScorer::Rule rule = [](const Ids&, const Ids&) { return log_of({{kEos, 0.5}, {kA, 0.25}}, kWords); };
  const FakeScorer scorer(rule, kWords, device(), {.normalized = false});
  EXPECT_THAT(greedy_search(scorer, sources(1, device()), config_)[0].ids, IsEmpty());
  config_.min_length = 2;
  auto result = greedy_search(scorer, sources(1, device()), config_)[0];
  EXPECT_THAT(result.ids, ElementsAre(kA, kA));
  EXPECT_TRUE(result.ended);
  EXPECT_NEAR(result.log_probability, -3.4657359028, 1e-6);  // log(1/4 * 1/4 * 1/2): the ban changes no probability
  config_.max_length = 2;
  result = greedy_search(scorer, sources(1, device()), config_)[0];
  EXPECT_THAT(result.ids, ElementsAre(kA, kA));
  EXPECT_FALSE(result.ended);
}

TEST_P(GreedySearchTest, EndsAsItIsIfOnlyABannedEndMayFollow) {
  const FakeScorer scorer(table({{{}, {{kA, 1}}}}, kWords), kWords, device());
  config_.min_length = 3;
  const auto result = greedy_search(scorer, sources(1, device()), config_)[0];
  EXPECT_THAT(result.ids, ElementsAre(kA));
  EXPECT_FALSE(result.ended);
}

TEST_P(GreedySearchTest, PatienceHasNoEffect) {
  const FakeScorer scorer(random_rule(12), 12, device(), {.max_target_length = 9});
  const auto usual = greedy_search(scorer, sources(20, device()), config_);
  for (const double patience : {0.5, 3.0}) {
    config_.patience = patience;
    EXPECT_EQ(ids_of(greedy_search(scorer, sources(20, device()), config_)), ids_of(usual));
  }
}

TEST_P(GreedySearchTest, EndsAsItIsIfNothingMayFollow) {
  const FakeScorer scorer(table({{{}, {{kA, 0.5}}}, {{kA}, {}}}, kWords), kWords, device(), {.normalized = false});
  const auto result = greedy_search(scorer, sources(1, device()), config_)[0];
  EXPECT_THAT(result.ids, ElementsAre(kA));
  EXPECT_FALSE(result.ended);
  EXPECT_NEAR(result.log_probability, -0.6931471806, 1e-6);
}

TEST_P(GreedySearchTest, FinishedSentencesLeaveTheBatch) {
  const FakeScorer::Rule as_long_as_its_number = [](const Ids& source, const Ids& generated) {
    return log_of({{std::ssize(generated) < source[0] - 4 ? source[0] : kEos, 1.0}}, 20);
  };
  const FakeScorer scorer(as_long_as_its_number, 20, device());
  const auto result = greedy_search(scorer, sources(3, device()), config_);
  EXPECT_THAT(result[0].ids, IsEmpty());
  EXPECT_THAT(result[1].ids, ElementsAre(5));
  EXPECT_THAT(result[2].ids, ElementsAre(6, 6));
  using Step = std::pair<std::int64_t, std::int64_t>;
  EXPECT_THAT(scorer.steps(), ElementsAre(Step{3, 1}, Step{2, 1}, Step{1, 1}));
}

TEST_P(GreedySearchTest, EqualsABeamOfOne) {
  const FakeScorer scorer(random_rule(12), 12, device(), {.max_target_length = 9});
  const auto source = sources(40, device());
  for (const auto& [penalty, min_length] : {std::pair{0.0, 0}, {1.0, 0}, {0.0, 4}, {1.0, 4}}) {
    config_.length_penalty = penalty;
    config_.min_length = min_length;
    const auto greedy = greedy_search(scorer, source, config_);
    const auto beam = beam_search(scorer, source, config_);
    for (std::size_t b = 0; b < greedy.size(); ++b) {
      ASSERT_EQ(beam[b].size(), 1u);
      EXPECT_EQ(greedy[b].ids, beam[b][0].ids);
      EXPECT_DOUBLE_EQ(greedy[b].score, beam[b][0].score);
    }
    EXPECT_TRUE(std::ranges::any_of(greedy, &Hypothesis::ended));
  }
}

TEST_P(GreedySearchTest, NoSentencesGiveNoHypotheses) {
  const FakeScorer scorer(random_rule(8), 8, device());
  EXPECT_THAT(greedy_search(scorer, sources(0, device()), config_), IsEmpty());
  EXPECT_THAT(scorer.steps(), IsEmpty());
}

INSTANTIATE_DEVICES(GreedySearchTest);

}  // namespace
}  // namespace gloss
