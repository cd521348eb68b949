#include "decoding/forced_scores.h"

#include <atomic>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "decoding/scorers/make_scorer.h"
#include "decoding/search.h"
#include "tests/decoding/collected_search.h"
#include "tests/decoding/fake_scorer.h"
#include "tests/support/device_test.h"
#include "tests/support/small_model.h"

namespace gloss {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class ForcedScoresTest : public DeviceTest {
 protected:
  /// Returns the scores of targets and their eos.
  static std::vector<ForcedScore> scores_with_eos(const Scorer& scorer, const std::vector<Ids>& sources,
                                                  std::vector<Ids> targets, std::int64_t batch_size,
                                                  const std::function<void()>& before_step = {}) {
    for (auto& target : targets) target.push_back(kEos);
    return forced_token_scores(scorer, sources, targets, batch_size, before_step);
  }
};

TEST_P(ForcedScoresTest, AreTheLogProbabilitiesOfEachTokenAndOfItsEnd) {
  const FakeScorer scorer(
      table({{{}, {{kA, 0.5}, {kB, 0.5}}}, {{kA}, {{kB, 0.25}, {kC, 0.75}}}, {{kA, kB}, {{kEos, 1}}}}, kWords), kWords,
      device());
  const std::vector<Ids> source = {{kA, kEos}}, target = {{kA, kB}};
  const auto scores = scores_with_eos(scorer, source, target, 8);
  EXPECT_THAT(scores[0].tokens,
              ElementsAre(DoubleNear(std::log(0.5), 1e-6), DoubleNear(std::log(0.25), 1e-6), DoubleNear(0, 1e-6)));
  EXPECT_NEAR(scores[0].log_probability, std::log(0.125), 1e-6);
}

TEST_P(ForcedScoresTest, GivenTokensHaveTheProbabilityOne) {
  const FakeScorer scorer(random_rule(kWords), kWords, device());
  const std::vector<Ids> source = {{kA, kEos}, {kB, kEos}}, target = {{kA, kB, kEos}, {kC}};
  const auto all = forced_token_scores(scorer, source, target, 2);
  const auto scores = forced_token_scores(scorer, source, target, 2, {}, /*workers=*/1, /*given_tokens=*/1);
  EXPECT_THAT(scores[0].tokens, ElementsAre(0, all[0].tokens[1], all[0].tokens[2]));
  EXPECT_NEAR(scores[0].log_probability, all[0].tokens[1] + all[0].tokens[2], 1e-6);
  EXPECT_THAT(scores[1].tokens, ElementsAre(0));
  EXPECT_EQ(scores[1].log_probability, 0);
}

TEST_P(ForcedScoresTest, AreThoseOfEverySearchBitForBit) {
  const auto model = small_model(device());
  const auto scorer = make_scorer(model, small_config(), 12);
  const auto sources = small_sources();
  for (const auto& config : {DecodingConfig{.beam_size = 4, .n_best = 4}, DecodingConfig{.beam_size = 1},
                             DecodingConfig{.beam_size = 4, .coverage_penalty = 0.3, .n_best = 4},
                             DecodingConfig{.min_length = 5, .no_repeat_ngram = 2, .no_unk = true},
                             DecodingConfig{.n_best = 4, .sampling = {.enabled = true, .temperature = 2}},
                             DecodingConfig{.n_best = 4, .sampling = {.enabled = true, .top_k = 3}}}) {
    std::vector<Ids> repeated, targets;
    std::vector<Hypothesis> wanted;
    const auto found = collected_search(*scorer, sources, config);
    for (std::size_t b = 0; b < sources.size(); ++b)
      for (const auto& hypothesis : found[b]) {
        repeated.push_back(sources[b]);
        targets.push_back(hypothesis.ids);
        if (hypothesis.ended) targets.back().push_back(kEos);
        wanted.push_back(hypothesis);
      }
    ASSERT_GE(wanted.size(), sources.size());
    for (const auto& [batch_size, workers] : {std::pair{1, 1}, {3, 1}, {64, 1}, {1, 3}}) {
      const auto scores = forced_token_scores(*scorer, repeated, targets, batch_size, {}, workers);
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        const auto& tokens = wanted[i].token_log_probabilities;
        if (device().is_cpu()) {
          EXPECT_EQ(scores[i].log_probability, wanted[i].log_probability) << batch_size;
          EXPECT_EQ(scores[i].tokens, tokens) << batch_size;
        } else {
          EXPECT_NEAR(scores[i].log_probability, wanted[i].log_probability, 1e-4) << batch_size;
          EXPECT_THAT(scores[i].tokens, testing::Pointwise(testing::DoubleNear(1e-4), tokens)) << batch_size;
        }
      }
    }
  }
}

TEST_P(ForcedScoresTest, TargetsOfAllLengthsStayWithTheirSources) {
  const FakeScorer scorer(random_rule(kWords), kWords, device());
  const std::vector<Ids> sources = {{4, kEos}, {5, kEos}, {6, kEos}, {4, 5, kEos}},
                         targets = {{4}, {}, {4, 5, 6, 4}, {6, 6}};
  const auto together = scores_with_eos(scorer, sources, targets, 4);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto alone = scores_with_eos(scorer, std::vector<Ids>{sources[i]}, std::vector<Ids>{targets[i]}, 1);
    EXPECT_EQ(together[i].tokens, alone[0].tokens) << i;
    EXPECT_EQ(together[i].tokens.size(), targets[i].size() + 1);
  }
}

TEST_P(ForcedScoresTest, ATargetThatASearchCutShortIsScoredWithoutEos) {
  const auto model = small_model(device());
  const auto scorer = make_scorer(model, small_config(), 3);  // the maximum length of a target, and the length of these
  const auto sources = small_sources();
  const auto found = beam_search(*scorer, pad(sources, device()), {.beam_size = 2, .max_length = 3, .min_length = 3});
  std::vector<Ids> targets;
  for (const auto& hypotheses : found) targets.push_back(hypotheses.at(0).ids);
  targets.emplace_back();
  auto repeated = sources;
  repeated.push_back({4, kEos});
  const auto scores = forced_token_scores(*scorer, repeated, targets, 2);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    ASSERT_FALSE(found[i][0].ended);
    EXPECT_EQ(scores[i].tokens.size(), 3u);
    if (device().is_cpu())
      EXPECT_EQ(scores[i].log_probability, found[i][0].log_probability);
    else
      EXPECT_NEAR(scores[i].log_probability, found[i][0].log_probability, 1e-4);
  }
  EXPECT_TRUE(scores.back().tokens.empty());
  EXPECT_EQ(scores.back().log_probability, 0);
}

TEST_P(ForcedScoresTest, MayBeCanceledBeforeAnyStep) {
  const FakeScorer scorer(random_rule(kWords), kWords, device());
  const std::vector<Ids> sources = {{4, kEos}}, targets = {{4, 5, 6, 4}};
  const auto give_up = [&] {
    if (scorer.steps().size() == 2) throw std::runtime_error("enough");
  };
  EXPECT_THROW(scores_with_eos(scorer, sources, targets, 1, give_up), std::runtime_error);
  EXPECT_EQ(scorer.steps().size(), 2u);
}

TEST_P(ForcedScoresTest, WithWorkersOneThreadAtATimeIsBeforeAStepAndAnExceptionEndsAllBatches) {
  const FakeScorer scorer(random_rule(kWords), kWords, device());
  const std::vector<Ids> sources(40, Ids{4, kEos}), targets(40, Ids{4, 5, 6, 4});
  std::atomic<int> inside = 0;
  int calls = 0, last = 100;
  const auto before_step = [&] {
    EXPECT_EQ(++inside, 1);
    ++calls;
    std::this_thread::yield();
    --inside;
    if (calls == last) throw std::runtime_error("enough");
  };
  forced_token_scores(scorer, sources, targets, 4, before_step, 4);
  EXPECT_EQ(calls, 10 * 5) << "ten batches of four steps";
  calls = 0;
  last = 7;
  EXPECT_THAT([&] { forced_token_scores(scorer, sources, targets, 4, before_step, 4); },
              ThrowsMessage<std::runtime_error>("enough"));
  EXPECT_EQ(calls, 7) << "it was called after the exception";
}

TEST_P(ForcedScoresTest, UnequalCountsAndEmptyBatchesAreRefused) {
  const FakeScorer scorer(random_rule(kWords), kWords, device());
  const std::vector<Ids> sources = {{4, kEos}, {4, kEos}}, targets = {{4, 4}};
  EXPECT_THAT([&] { forced_token_scores(scorer, sources, targets, 2); },
              ThrowsMessage<UsageError>(HasSubstr("targets: wanted one for each of 2 sources, got 1")));
  EXPECT_THAT([&] { forced_token_scores(scorer, sources, sources, 0); },
              ThrowsMessage<UsageError>(HasSubstr("batch_size: wanted at least 1")));
}

TEST_P(ForcedScoresTest, TargetsBeyondTheModelAreRefusedByNumber) {
  const FakeScorer scorer(random_rule(kWords), kWords, device(), {.max_target_length = 3});
  const std::vector<Ids> sources = {{4, kEos}, {4, kEos}}, targets = {{4, 4}, {4, 4, 4}};
  EXPECT_THAT([&] { scores_with_eos(scorer, sources, targets, 2); },
              ThrowsMessage<DataError>(HasSubstr("target 2: wanted at most 3 tokens")));
}

INSTANTIATE_DEVICES(ForcedScoresTest);

}  // namespace
}  // namespace gloss
