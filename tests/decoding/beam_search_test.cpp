#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decoding/search.h"
#include "tests/decoding/fake_scorer.h"
#include "tests/support/device_test.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class BeamSearchTest : public DeviceTest {
 protected:
  DecodingConfig config_{.beam_size = 2, .length_penalty = 0};

  std::vector<Hypothesis> search_one(const Scorer& scorer) {
    return beam_search(scorer, sources(1, device()), config_).at(0);
  }
};

TEST_P(BeamSearchTest, FindsThePathThatGreedyMisses) {
  const auto rule = table(
      {{{}, {{kA, 0.6}, {kB, 0.4}}}, {{kA}, {{kEos, 0.4}, {kA, 0.3}, {kB, 0.3}}}, {{kB}, {{kEos, 0.9}, {kA, 0.1}}}},
      kWords);
  const FakeScorer scorer(rule, kWords, device());
  const auto result = search_one(scorer);
  EXPECT_THAT(ids_of(result), ElementsAre(Ids{kB}));
  EXPECT_TRUE(result[0].ended);
  EXPECT_NEAR(result[0].log_probability, -1.0216512475, 1e-6);  // log(0.4 * 0.9)
  config_.beam_size = 1;
  EXPECT_THAT(ids_of(search_one(scorer)), ElementsAre(Ids{kA}));
}

/// Marian's search, written down plainly: each step takes as many of the best continuations as hypotheses are left.
Ids marian_search(const FakeScorer::Rule& rule, const Ids& source, std::int64_t beam, std::int64_t limit) {
  struct Path {
    Ids ids;
    double sum = 0;
  };
  std::vector<Path> live(1), finished;
  std::vector<double> scores;
  for (std::int64_t length = 1; beam > 0; ++length) {
    std::vector<Path> next;
    for (const auto& path : live) {
      const auto logits = rule(source, path.ids);
      double total = 0;
      for (const double logit : logits) total += std::exp(logit);
      for (Id id = 0; id < std::ssize(logits); ++id) {
        next.push_back({path.ids, path.sum + logits[static_cast<std::size_t>(id)] - std::log(total)});
        next.back().ids.push_back(id);
      }
    }
    std::ranges::sort(next, std::greater{}, &Path::sum);
    next.resize(std::min(next.size(), static_cast<std::size_t>(beam)));
    live.clear();
    for (const auto& path : next) {
      if (path.ids.back() != kEos && length < limit) {
        live.push_back(path);
        continue;
      }
      finished.push_back(path);
      scores.push_back(path.sum / static_cast<double>(length));
    }
    beam = std::ssize(live);
  }
  auto best = finished[static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin())].ids;
  if (best.back() == kEos) best.pop_back();
  return best;
}

TEST_P(BeamSearchTest, AShrinkingBeamFindsWhatMarianFinds) {
  config_ = {.beam_size = 4, .shrinking_beam = true, .max_length_factor = 4};
  const auto rule = random_rule(9);
  const FakeScorer scorer(rule, 9, device());
  const auto batch = sources(40, device());
  const auto found = beam_search(scorer, batch, config_);
  config_.shrinking_beam = false;
  const auto other = beam_search(scorer, batch, config_);
  int differ = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].at(0).ids, marian_search(rule, {static_cast<Id>(4 + i), kEos}, 4, 8)) << i;
    differ += found[i].at(0).ids != other[i].at(0).ids;
  }
  EXPECT_GT(differ, 0);
}

TEST_P(BeamSearchTest, ParentsAreFollowedWhenRowsChangePlaces) {
  // The second row is the parent of both next rows, and again the second of these wins.
  const auto rule = table({{{}, {{kA, 0.55}, {kB, 0.45}}},
                           {{kA}, {{kA, 0.34}, {kB, 0.33}, {kC, 0.33}}},
                           {{kB}, {{kA, 0.5}, {kC, 0.5}}},
                           {{kB, kA}, {{kC, 0.1}, {kEos, 0.1}, {kA, 0.4}, {kB, 0.4}}},
                           {{kB, kC}, {{kB, 1}}}},
                          kWords);
  const auto result = search_one(FakeScorer(rule, kWords, device()));
  EXPECT_THAT(ids_of(result), ElementsAre(Ids{kB, kC, kB}));
  EXPECT_NEAR(result[0].log_probability, std::log(0.45 * 0.5), 1e-6);
}

TEST_P(BeamSearchTest, ScoresOfBothLengthPenaltiesAreAsWorkedOutByHand) {
  const auto rule = table({{{}, {{kA, 0.5}}}, {{kA}, {{kB, 0.5}}}, {{kA, kB}, {{kEos, 0.5}}}}, kWords);
  const FakeScorer scorer(rule, kWords, device(), {.normalized = false});
  config_.length_penalty = 0.6;
  EXPECT_NEAR(search_one(scorer).at(0).score, -1.0756573842, 1e-6);  // log(1/8) / 3^0.6
  config_.length_penalty_kind = LengthPenaltyKind::kGnmt;
  EXPECT_NEAR(search_one(scorer).at(0).score, -1.7497801030, 1e-6);  // log(1/8) / (8/6)^0.6
}

TEST_P(BeamSearchTest, LengthPenaltyDecidesBetweenShortAndLong) {
  // "A": log(0.36) = -1.02; "B C C": log(0.27) = -1.31, over 4 tokens -0.33 against -0.51.
  const FakeScorer scorer(table({{{}, {{kA, 0.6}, {kB, 0.4}}},
                                 {{kA}, {{kEos, 0.6}, {kA, 0.1}, {kB, 0.1}, {kC, 0.1}, {kUnk, 0.1}}},
                                 {{kB}, {{kC, 0.675}, {kA, 0.325}}},
                                 {{kB, kA}, {{kA, 0.5}, {kB, 0.5}}},
                                 {{kB, kC}, {{kC, 1}}}},
                                kWords),
                          kWords, device());
  EXPECT_THAT(ids_of(search_one(scorer)), ElementsAre(Ids{kA}));
  config_.length_penalty = 1;
  EXPECT_THAT(ids_of(search_one(scorer)), ElementsAre(Ids{kB, kC, kC}));
}

TEST_P(BeamSearchTest, NBestAreDistinctAndBestFirst) {
  const FakeScorer scorer(random_rule(9), 9, device(), {.max_target_length = 6});
  config_ = {.beam_size = 6, .length_penalty = 1, .patience = 3, .n_best = 6};
  const auto found = beam_search(scorer, sources(20, device()), config_);
  ASSERT_THAT(found, SizeIs(20));
  for (const auto& hypotheses : found) {
    EXPECT_THAT(hypotheses, SizeIs(6));
    EXPECT_TRUE(std::ranges::is_sorted(hypotheses, std::greater{}, &Hypothesis::score));
    std::set<std::pair<Ids, bool>> distinct;
    for (const auto& hypothesis : hypotheses) distinct.emplace(hypothesis.ids, hypothesis.ended);
    EXPECT_THAT(distinct, SizeIs(6));
  }
}

TEST_P(BeamSearchTest, TiesGoToTheLowerRowThenToTheLowerId) {
  constexpr std::int64_t V = 3000;
  const FakeScorer::Rule equal = [](const Ids&, const Ids& generated) {
    auto logits = std::vector<float>(V, -1.f);
    if (generated.size() == 2) return log_of({{kEos, 1}}, V);
    logits[kEos] = -std::numeric_limits<float>::infinity();
    return logits;
  };
  config_ = {.beam_size = 3, .length_penalty = 1, .n_best = 3};
  const auto result = search_one(FakeScorer(equal, V, device(), {.normalized = false}));
  EXPECT_THAT(ids_of(result), ElementsAre(Ids{0, 0}, Ids{0, 1}, Ids{0, 2}));
}

TEST_P(BeamSearchTest, OfEqualScoresTheOneFinishedFirstWins) {
  const auto rule = table({{{}, {{kA, 0.5}, {kEos, 0.25}}}, {{kA}, {{kEos, 0.5}}}}, kWords);
  config_.n_best = 2;
  const auto result = search_one(FakeScorer(rule, kWords, device(), {.normalized = false}));
  EXPECT_THAT(ids_of(result), ElementsAre(Ids{}, Ids{kA}));
  EXPECT_EQ(result[0].score, result[1].score);
}

TEST_P(BeamSearchTest, BeamMayBeLargerThanTheVocabulary) {
  const FakeScorer scorer(table({{{}, {{kA, 0.5}, {kB, 0.3}, {kEos, 0.2}}}, {{kA}, {{kEos, 0.7}, {kB, 0.3}}}}, kWords),
                          kWords, device());
  config_ = {.beam_size = 50, .length_penalty = 0, .n_best = 50};
  const auto result = search_one(scorer);  // every hypothesis that has a probability
  EXPECT_THAT(ids_of(result), ElementsAre(Ids{kA}, Ids{kB}, Ids{}, Ids{kA, kB}));
}

TEST_P(BeamSearchTest, NothingIsBanned) {
  const FakeScorer scorer(table({{{}, {{kPad, 1}}}, {{kPad}, {{kBos, 1}}}, {{kPad, kBos}, {{kUnk, 1}}}}, kWords),
                          kWords, device());
  EXPECT_THAT(ids_of(search_one(scorer)), ElementsAre(Ids{kPad, kBos, kUnk}));
}

TEST_P(BeamSearchTest, NothingEndsBeforeTheMinimumOfLength) {
  const FakeScorer scorer(
      table({{{}, {{kEos, 0.6}, {kA, 0.3}, {kB, 0.1}}}, {{kA}, {{kEos, 0.5}, {kC, 0.5}}}, {{kB}, {{kC, 1}}}}, kWords),
      kWords, device());
  EXPECT_THAT(ids_of(search_one(scorer)), ElementsAre(Ids{}));
  config_.min_length = 1;
  config_.n_best = 2;
  const auto result = search_one(scorer);
  EXPECT_THAT(ids_of(result), ElementsAre(Ids{kA}, Ids{kA, kC}));
  EXPECT_NEAR(result[0].log_probability, std::log(0.3 * 0.5), 1e-6);  // the ban changes no probability
  config_.min_length = 2;
  EXPECT_THAT(ids_of(search_one(scorer)), ElementsAre(Ids{kA, kC}, Ids{kB, kC}));
}

/// Every hypothesis of at most `limit` tokens over the ids of the vocabulary, best first.
std::vector<Hypothesis> all_hypotheses(const FakeScorer::Rule& rule, const Ids& source, std::int64_t limit,
                                       const DecodingConfig& config) {
  std::vector<Hypothesis> result;
  std::vector<std::pair<Ids, double>> live = {{{}, 0}};
  for (std::int64_t length = 1; length <= limit; ++length) {
    std::vector<std::pair<Ids, double>> next;
    for (const auto& [ids, log_probability] : live) {
      const auto logits = rule(source, ids);
      double sum = 0;
      for (const auto logit : logits) sum += std::exp(static_cast<double>(logit));
      for (Id id = 0; id < std::ssize(logits); ++id) {
        const auto total = log_probability + logits[id] - std::log(sum);
        auto longer = ids;
        if (id != kEos) longer.push_back(id);
        if (id == kEos && length <= config.min_length) continue;
        if (id == kEos || length == limit) {
          const auto base = config.length_penalty_kind == LengthPenaltyKind::kPower ? 1. * length : (5. + length) / 6;
          result.push_back({longer, total, total / std::pow(base, config.length_penalty), id == kEos});
        } else {
          next.emplace_back(std::move(longer), total);
        }
      }
    }
    live = std::move(next);
  }
  std::ranges::sort(result, std::greater{}, &Hypothesis::score);
  return result;
}

TEST_P(BeamSearchTest, HugeBeamFindsWhatExhaustiveSearchFinds) {
  constexpr std::int64_t V = 5, kLimit = 5;
  const auto rule = random_rule(V);
  const FakeScorer scorer(rule, V, device(), {.max_target_length = kLimit});
  for (const auto kind : {LengthPenaltyKind::kPower, LengthPenaltyKind::kGnmt})
    for (const auto& [penalty, min_length] : {std::pair{0.0, 0}, {0.6, 0}, {1.0, 0}, {2.0, 0}, {0.0, 3}, {1.0, 4}}) {
      config_ = {.beam_size = 1000,
                 .length_penalty = penalty,
                 .length_penalty_kind = kind,
                 .patience = 2,
                 .min_length = min_length,
                 .n_best = 25};
      for (Id first = 4; first < 8; ++first) {
        const auto found = beam_search(scorer, sources(1, device(), first), config_).at(0);
        const auto wanted = all_hypotheses(rule, {first, kEos}, kLimit, config_);
        ASSERT_THAT(found, SizeIs(25));
        for (std::size_t i = 0; i < found.size(); ++i) {
          EXPECT_EQ(found[i].ids, wanted[i].ids) << "place " << i << ", penalty " << penalty;
          EXPECT_NEAR(found[i].score, wanted[i].score, 1e-5);
          EXPECT_EQ(found[i].ended, wanted[i].ended);
        }
      }
    }
}

TEST_P(BeamSearchTest, SentencesSearchedTogetherAreAsEachAlone) {
  const FakeScorer scorer(random_rule(11), 11, device(), {.max_target_length = 8});
  config_ = {.beam_size = 4, .length_penalty = 1, .n_best = 4};
  const auto together = beam_search(scorer, sources(30, device()), config_);
  for (std::int64_t b = 0; b < 30; ++b) {
    const auto alone = beam_search(scorer, sources(1, device(), 4 + static_cast<Id>(b)), config_).at(0);
    EXPECT_EQ(ids_of(together[b]), ids_of(alone));
    for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_NEAR(together[b][i].score, alone[i].score, 1e-6);
  }
}

TEST_P(BeamSearchTest, SentenceOfFewRowsIsNotDisturbedByOneOfMany) {
  const FakeScorer::Rule rule = [](const Ids& source, const Ids& generated) {
    if (generated.size() == 3) return log_of({{kEos, 1}}, kWords);
    if (source[0] == 4) return log_of({{kA, 0.5}}, kWords);
    return log_of({{kA, 0.375}, {kB, 0.25}, {kC, 0.125}}, kWords);
  };
  config_ = {.beam_size = 3, .length_penalty = 0, .n_best = 3};
  const auto result =
      beam_search(FakeScorer(rule, kWords, device(), {.normalized = false}), sources(2, device()), config_);
  EXPECT_THAT(ids_of(result[0]), ElementsAre(Ids{kA, kA, kA}));
  EXPECT_NEAR(result[0][0].log_probability, std::log(0.125), 1e-6);
  EXPECT_THAT(result[1], SizeIs(3));
}

TEST_P(BeamSearchTest, NoSentencesGiveNoHypotheses) {
  const FakeScorer scorer(random_rule(8), 8, device());
  EXPECT_THAT(beam_search(scorer, sources(0, device()), config_), IsEmpty());
  EXPECT_THAT(scorer.steps(), IsEmpty());
}

INSTANTIATE_DEVICES(BeamSearchTest);

}  // namespace
}  // namespace gloss
