// Greedy and beam search under constraints.
#include <algorithm>
#include <cmath>
#include <set>

#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decoding/scorers/make_scorer.h"
#include "decoding/search.h"
#include "tests/decoding/fake_scorer.h"
#include "tests/support/device_test.h"
#include "tests/support/small_model.h"

namespace gloss {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;

bool repeats(const Ids& ids, std::int64_t n) {
  std::set<Ids> seen;
  for (auto first = ids.begin(); std::distance(first, ids.end()) >= n; ++first)
    if (!seen.insert({first, first + n}).second) return true;
  return false;
}

bool begins_with(const Ids& ids, const Ids& prefix) {
  return ids.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), ids.begin());
}

class ConstrainedSearchTest : public DeviceTest {
 protected:
  /// Returns the hypotheses of all sentences: those of greedy search, then those of beam search.
  std::vector<std::vector<Hypothesis>> search(const Scorer& scorer, const PaddedIds& source,
                                              const SearchInputs& given = {}) const {
    auto all = beam_search(scorer, source, config_, given);
    auto greedy = greedy_search(scorer, source, config_, given);
    for (std::size_t b = 0; b < all.size(); ++b) all[b].insert(all[b].begin(), std::move(greedy[b]));
    return all;
  }
  /// Returns the hypotheses of one sentence by both searches.
  std::vector<Ids> search_one(const Scorer& scorer, const SearchInputs& given = {}) const {
    return ids_of(search(scorer, sources(1, device()), given).at(0));
  }

  DecodingConfig config_{.beam_size = 3, .length_penalty = 0, .n_best = 1};
  FakeScorer random_{random_rule(12), 12, device(), {.max_target_length = 20}};
};

TEST_P(ConstrainedSearchTest, NoNgramIsGeneratedTwice) {
  const FakeScorer::Rule loop = [](const Ids&, const Ids& generated) {
    return log_of({{std::ssize(generated) % 2 == 0 ? kA : kB, 0.8}, {kC, 0.15}, {kEos, 0.05}}, kWords);
  };
  const FakeScorer scorer(loop, kWords, device(), {.max_target_length = 6});
  EXPECT_THAT(search_one(scorer), Each(Ids{kA, kB, kA, kB, kA, kB}));
  config_.no_repeat_ngram = 2;
  EXPECT_THAT(search_one(scorer)[0], ElementsAre(kA, kB, kA, kC, kA));
}

TEST_P(ConstrainedSearchTest, NoHypothesisRepeatsForAnyScorer) {
  config_.n_best = 3;
  config_.min_length = 8;
  const auto any_repeats = [&](std::int64_t n) {
    bool found = false;
    for (const auto& hypotheses : search(random_, sources(20, device())))
      for (const auto& hypothesis : hypotheses) found = found || repeats(hypothesis.ids, n);
    return found;
  };
  for (const std::int64_t n : {1, 2}) {
    config_.no_repeat_ngram = 0;
    EXPECT_TRUE(any_repeats(n)) << n;
    config_.no_repeat_ngram = n;
    EXPECT_FALSE(any_repeats(n)) << n;
  }
}

TEST_P(ConstrainedSearchTest, UnkIsNotGenerated) {
  const FakeScorer scorer(table({{{}, {{kUnk, 0.7}, {kB, 0.3}}}}, kWords), kWords, device());
  EXPECT_THAT(search_one(scorer), Each(Ids{kUnk}));
  config_.no_unk = true;
  EXPECT_THAT(search_one(scorer), Each(Ids{kB}));
}

TEST_P(ConstrainedSearchTest, WithARepetitionPenaltyScoresAreOfThePenalizedLogits) {
  const FakeScorer::Rule rule = [](const Ids&, const Ids& generated) {
    return std::vector<float>{-9, -9, -9, std::ssize(generated) < 2 ? -9.f : 9.f, 2, 1.5, 0};
  };
  const FakeScorer scorer(rule, kWords, device());
  EXPECT_THAT(search_one(scorer), Each(Ids{kA, kA}));
  config_.repetition_penalty = 4;
  const auto result = search(scorer, sources(1, device()))[0];
  EXPECT_THAT(ids_of(result), Each(Ids{kA, kB}));
  const auto log_softmax = [](std::vector<double> logits, std::size_t id) {
    double sum = 0;
    for (const auto logit : logits) sum += std::exp(logit);
    return logits[id] - std::log(sum);
  };
  const double wanted = log_softmax({-9, -9, -9, -9, 2, 1.5, 0}, kA) + log_softmax({-9, -9, -9, -9, 0.5, 1.5, 0}, kB) +
                        log_softmax({-9, -9, -9, 9, 0.5, 0.375, 0}, kEos);
  ASSERT_THAT(result, SizeIs(2));
  for (const auto& hypothesis : result) EXPECT_NEAR(hypothesis.log_probability, wanted, 1e-5);
}

TEST_P(ConstrainedSearchTest, ATranslationBeginsWithItsPrefix) {
  const auto rule = table({{{}, {{kA, 0.9}, {kB, 0.06}, {kC, 0.04}}},
                           {{kC}, {{kA, 0.75}, {kB, 0.25}}},
                           {{kC, kB}, {{kA, 0.5}, {kEos, 0.5}}}},
                          kWords);
  const FakeScorer scorer(rule, kWords, device());
  EXPECT_THAT(search_one(scorer), Each(Ids{kA}));
  EXPECT_THAT(search_one(scorer, {.prefixes = {{kC}}}), Each(Ids{kC, kA}));
  const auto result = search(scorer, sources(1, device()), {.prefixes = {{kC, kB}}})[0];
  ASSERT_THAT(result, SizeIs(2));
  for (const auto& hypothesis : result) {
    EXPECT_TRUE(begins_with(hypothesis.ids, {kC, kB}));
    EXPECT_NEAR(hypothesis.log_probability, std::log(0.04 * 0.25 * 0.5), 1e-6);  // of the prefix too
  }
}

TEST_P(ConstrainedSearchTest, GivenTokensDoNotCount) {
  const FakeScorer scorer(table({{{}, {{kA, 0.96}, {kC, 0.04}}}, {{kC}, {{kB, 0.25}, {kA, 0.75}}}}, kWords), kWords,
                          device());
  config_.length_penalty = 1;
  const auto result = search(scorer, sources(1, device()), {.prefixes = {{kC, kB}}, .given_tokens = 1})[0];
  ASSERT_THAT(result, SizeIs(2));
  for (const auto& hypothesis : result) {
    EXPECT_EQ(hypothesis.ids, (Ids{kC, kB}));
    EXPECT_EQ(hypothesis.token_log_probabilities.at(0), 0);
    EXPECT_NEAR(hypothesis.log_probability, std::log(0.25), 1e-6);
    EXPECT_NEAR(hypothesis.score, std::log(0.25) / 3, 1e-6) << "they are tokens of the length penalty";
  }
}

TEST_P(ConstrainedSearchTest, EachSentenceHasAPrefixOfItsOwn) {
  config_.n_best = 2;
  const std::vector<Ids> prefixes = {{7, 7, 8}, {}, {9}, {4, 5, 6, 7, 8, 9}};
  const auto source = sources(4, device());
  const auto together = search(random_, source, {.prefixes = prefixes});
  for (std::int64_t b = 0; b < 4; ++b) {
    const auto alone = search(random_, sources(1, device(), static_cast<Id>(4 + b)), {{prefixes[b]}, {}});
    EXPECT_EQ(ids_of(together[b]), ids_of(alone[0]));
    EXPECT_FALSE(together[b].empty());
    for (const auto& ids : ids_of(together[b])) EXPECT_TRUE(begins_with(ids, prefixes[b]));
  }
}

TEST_P(ConstrainedSearchTest, APrefixThatWouldBeGeneratedAnywayChangesNothing) {
  const auto source = sources(12, device());
  config_.min_length = 4;
  const auto usual = greedy_search(random_, source, config_);
  SearchInputs given;
  for (const auto& hypothesis : usual) given.prefixes.emplace_back(hypothesis.ids.begin(), hypothesis.ids.begin() + 3);
  const auto forced = greedy_search(random_, source, config_, given);
  EXPECT_EQ(ids_of(forced), ids_of(usual));
  for (std::size_t b = 0; b < usual.size(); ++b) EXPECT_DOUBLE_EQ(forced[b].score, usual[b].score);
}

TEST_P(ConstrainedSearchTest, APrefixIsNotCutByTheLimitOfLength) {
  config_.max_length = 2;
  EXPECT_THAT(search_one(random_, {.prefixes = {{7, 8, 9}}}), Each(Ids{7, 8, 9}));
}

TEST_P(ConstrainedSearchTest, IfAPrefixCannotContinueTheGeneratedPartIsTheTranslation) {
  const FakeScorer scorer(table({{{}, {{kA, 1}}}}, kWords), kWords, device());
  EXPECT_THAT(search_one(scorer, {.prefixes = {{kA, kB}}}), Each(Ids{kA}));
}

TEST_P(ConstrainedSearchTest, EqualsABeamOfOneUnderAllConstraints) {
  config_ = {.beam_size = 1, .min_length = 3, .no_repeat_ngram = 2, .repetition_penalty = 1.3, .no_unk = true};
  SearchInputs given;
  for (Id b = 0; b < 20; ++b) given.prefixes.push_back(Ids(static_cast<std::size_t>(b % 3), 5 + b % 4));
  const auto found = search(random_, sources(20, device()), given);
  ASSERT_THAT(found, SizeIs(20));
  for (const auto& hypotheses : found) {
    ASSERT_THAT(hypotheses, SizeIs(2));
    EXPECT_EQ(hypotheses[0].ids, hypotheses[1].ids);
    EXPECT_DOUBLE_EQ(hypotheses[0].score, hypotheses[1].score);
  }
}

TEST_P(ConstrainedSearchTest, AModelObeys) {
  const auto scorer = make_scorer(small_model(device()), small_config(), 12);
  const auto source = pad(small_sources(), device());
  config_.n_best = 3;
  config_.min_length = 5;
  const auto any_repeats = [&] {
    bool found = false;
    for (const auto& hypotheses : search(*scorer, source))
      for (const auto& hypothesis : hypotheses) found = found || repeats(hypothesis.ids, 2);
    return found;
  };
  EXPECT_TRUE(any_repeats());
  config_.no_repeat_ngram = 2;
  EXPECT_FALSE(any_repeats());
  config_.no_repeat_ngram = 0;
  config_.repetition_penalty = 5;
  const SearchInputs given{.prefixes = {{12, 13}, {}, {kUnk}}};
  config_.no_unk = true;
  const auto found = search(*scorer, source, given);
  ASSERT_THAT(found, SizeIs(given.prefixes.size()));
  for (std::size_t b = 0; b < found.size(); ++b) {
    EXPECT_FALSE(found[b].empty());
    for (const auto& ids : ids_of(found[b])) {
      EXPECT_TRUE(begins_with(ids, given.prefixes[b]));
      EXPECT_EQ(std::ranges::count(ids, kUnk), b == 2 ? 1 : 0);
    }
  }
}

INSTANTIATE_DEVICES(ConstrainedSearchTest);

}  // namespace
}  // namespace gloss
