// Beam search whose translations must contain phrases.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "decoding/batched_search.h"
#include "decoding/forced_scores.h"
#include "decoding/scorers/make_scorer.h"
#include "decoding/search.h"
#include "tests/decoding/collected_search.h"
#include "tests/decoding/fake_scorer.h"
#include "tests/support/device_test.h"
#include "tests/support/small_model.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;

constexpr std::int64_t kSearchedVocabulary = 20;

/// Returns the number of occurrences of `ids` in a target, without overlaps.
std::int64_t count(const Ids& target, const Ids& ids) {
  std::int64_t found = 0;
  for (auto place = target.begin(); (place = std::search(place, target.end(), ids.begin(), ids.end())) != target.end();
       place += std::ssize(ids))
    ++found;
  return found;
}

class PhraseSearchTest : public DeviceTest {
 protected:
  static std::vector<Phrase> phrases_of(const std::vector<Ids>& all) {
    std::vector<Phrase> phrases;
    for (const auto& ids : all) phrases.push_back({{}, ids, true});
    return phrases;
  }
  SearchInputs given(const std::vector<std::vector<Ids>>& wanted) const {
    SearchInputs result;
    for (const auto& of_sentence : wanted) result.phrases.push_back(phrases_of(of_sentence));
    result.continues_word = goes_on_;
    return result;
  }
  std::vector<Hypothesis> search_one(const Scorer& scorer, const std::vector<Ids>& wanted,
                                     const Ids& prefix = {}) const {
    auto told = given({wanted});
    told.prefixes = {prefix};
    return beam_search(scorer, sources(1, device()), config_, told).at(0);
  }
  static void expect_all(const std::vector<Hypothesis>& found, const std::vector<Ids>& wanted) {
    EXPECT_FALSE(found.empty());
    for (const auto& hypothesis : found)
      for (const auto& ids : wanted)
        EXPECT_GE(count(hypothesis.ids, ids), std::ranges::count(wanted, ids))
            << testing::PrintToString(hypothesis.ids);
  }

  DecodingConfig config_{.beam_size = 2, .length_penalty = 0};
  std::vector<std::uint8_t> goes_on_ = std::vector<std::uint8_t>(kSearchedVocabulary);
  FakeScorer random_{random_rule(kSearchedVocabulary), kSearchedVocabulary, device(), {.max_target_length = 25}};
};

TEST_P(PhraseSearchTest, APhraseIsPlacedWhereItIsLikeliest) {
  const FakeScorer scorer(table({{{}, {{kA, 0.9}, {kC, 0.1}}},
                                 {{kA}, {{kEos, 0.45}, {kB, 0.35}, {kC, 0.2}}},
                                 {{kC}, {{kA, 0.5}, {kEos, 0.5}}}},
                                kWords),
                          kWords, device());
  for (const std::int64_t beam_size : {1, 2, 5}) {
    config_.beam_size = beam_size;
    EXPECT_THAT(search_one(scorer, {}).at(0).ids, ElementsAre(kA));
    const auto found = search_one(scorer, {{kC}});
    EXPECT_THAT(ids_of(found), ElementsAre(Ids{kA, kC}));
    EXPECT_NEAR(found[0].score, std::log(0.9 * 0.2), 1e-6);
    EXPECT_TRUE(found[0].ended);
  }
}

TEST_P(PhraseSearchTest, APhraseDoesNotComeAfterTheEnd) {
  const FakeScorer scorer(
      table({{{}, {{kA, 0.9}, {kC, 0.1}}}, {{kA}, {{kEos, 0.8}, {kC, 0.2}}}, {{kC}, {{kA, 0.5}, {kEos, 0.5}}}}, kWords),
      kWords, device());
  for (const std::int64_t beam_size : {1, 2, 5}) {
    config_.beam_size = beam_size;
    EXPECT_THAT(search_one(scorer, {{kC}}).at(0).ids, ElementsAre(kC));
  }
}

TEST_P(PhraseSearchTest, APhraseThatWouldBeGeneratedAnywayChangesNothing) {
  config_ = {.beam_size = 5, .length_penalty = 0, .n_best = 1};
  const FakeScorer scorer(table({{{}, {{kA, 0.9}, {kC, 0.1}}}, {{kA}, {{kB, 0.8}, {kC, 0.2}}}}, kWords), kWords,
                          device());
  const auto usual = search_one(scorer, {}).at(0), found = search_one(scorer, {{kA, kB}}).at(0);
  EXPECT_EQ(found.ids, usual.ids);
  EXPECT_EQ(found.score, usual.score);
}

TEST_P(PhraseSearchTest, ABrokenPhraseMayBeGeneratedLater) {
  const FakeScorer scorer(table({{{}, {{kA, 0.9}, {kB, 0.1}}},
                                 {{kA}, {{kC, 0.9}, {kB, 0.1}}},
                                 {{kA, kB}, {{kC, 0.95}, {kEos, 0.05}}},
                                 {{kA, kC}, {{kA, 0.6}, {kEos, 0.4}}},
                                 {{kA, kC, kA}, {{kB, 0.9}, {kEos, 0.1}}}},
                                kWords),
                          kWords, device());
  EXPECT_THAT(search_one(scorer, {{kA, kB}}).at(0).ids, ElementsAre(kA, kC, kA, kB));
}

TEST_P(PhraseSearchTest, AlternativesThatDoNotFitAreLeftOutInAnyOrder) {
  config_.max_length = 3;
  const auto search = [&](const std::vector<std::pair<Ids, std::int64_t>>& wanted, std::int64_t& left_out) {
    SearchInputs inputs{.phrases = {{}}};
    for (const auto& [ids, group] : wanted) {
      inputs.phrases[0].push_back({{}, ids, true});
      inputs.phrases[0].back().group = group;
    }
    inputs.continues_word = goes_on_;
    left_out = 0;
    SearchHooks hooks;
    hooks.on_left_out = [&](std::int64_t, std::int64_t phrases) { left_out = phrases; };
    return beam_search(random_, sources(1, device()), config_, inputs, hooks).at(0).at(0).ids;
  };
  const Ids big{5, 6, 7, 8, 9}, middle{10, 11, 12}, small{13};
  std::vector<std::vector<Ids>> orders{{big, middle, small}, {small, big, middle}, {middle, small, big}};
  for (const auto& order : orders) {
    std::int64_t left_out = 0;
    const auto alone = search({{order[0], 0}, {order[1], 0}, {order[2], 0}}, left_out);
    EXPECT_TRUE(count(alone, small) > 0 || count(alone, middle) > 0) << testing::PrintToString(alone);
    EXPECT_EQ(left_out, 0);
    const auto both = search({{order[0], 0}, {order[1], 0}, {order[2], 0}, {{14, 15}, -1}}, left_out);
    EXPECT_EQ(count(both, small), 1) << "beside the two pieces of the other phrase";
    EXPECT_EQ(count(both, {14, 15}), 1);
    EXPECT_EQ(left_out, 0);
    search({{order[0], 0}, {order[1], 0}, {order[2], 0}, {{14, 15, 16}, -1}}, left_out);
    EXPECT_EQ(left_out, 1);
  }
}

TEST_P(PhraseSearchTest, AContinuedWordIsNotThePhrase) {
  const FakeScorer scorer(table({{{}, {{kA, 0.9}, {kB, 0.1}}},
                                 {{kA}, {{kC, 0.9}, {kEos, 0.1}}},
                                 {{kA, kC}, {{kEos, 0.45}, {kA, 0.3}, {kB, 0.25}}},
                                 {{kB}, {{kA, 0.5}, {kEos, 0.5}}},
                                 {{kB, kA}, {{kEos, 0.8}, {kC, 0.2}}}},
                                kWords),
                          kWords, device());
  EXPECT_THAT(search_one(scorer, {{kA}}).at(0).ids, ElementsAre(kA, kC));
  goes_on_[kC] = 1;
  EXPECT_THAT(search_one(scorer, {{kA}}).at(0).ids, ElementsAre(kA, kC, kA));
}

TEST_P(PhraseSearchTest, EveryPhraseIsMetHoweverTheyOverlapAndHoweverSmallTheBeam) {
  const std::vector<std::vector<Ids>> cases = {
      {{5}},
      {{5, 6, 7, 8}},
      {{5, 6}, {5, 7}},                          // begin alike
      {{5}, {5, 6}, {6}},                        // one within another
      {{5, 6}, {6, 7}, {7, 5}},                  // overlap in a circle
      {{9, 9}, {9, 9}, {9}},                     // wanted twice
      {{5}, {6}, {7}, {8}, {9}, {10}, {11, 12}}  // more than a small beam holds
  };
  for (const std::int64_t beam_size : {1, 2, 5})
    for (const double length_penalty : {0., 1.})
      for (const auto& wanted : cases) {
        config_ = {.beam_size = beam_size, .length_penalty = length_penalty, .n_best = beam_size};
        const std::vector<std::vector<Ids>> all(6, wanted);
        for (const auto& found : beam_search(random_, sources(6, device()), config_, given(all)))
          expect_all(found, wanted);
      }
}

TEST_P(PhraseSearchTest, EachSentenceHasPhrasesOfItsOwnAndItsNeighborsChangeNothing) {
  config_ = {.beam_size = 3, .length_penalty = 1, .n_best = 3};
  const std::vector<std::vector<Ids>> wanted = {{{5, 6, 7}}, {}, {{8}, {9, 10}}, {}, {{5}, {5}}};
  const auto together = beam_search(random_, sources(5, device()), config_, given(wanted));
  for (Id b = 0; b < 5; ++b) {
    const auto alone = beam_search(random_, sources(1, device(), 4 + b), config_, given({wanted[b]})).at(0);
    EXPECT_EQ(ids_of(together[b]), ids_of(alone));
    for (std::size_t n = 0; n < alone.size(); ++n) EXPECT_EQ(together[b][n].score, alone[n].score);
    expect_all(together[b], wanted[b]);
  }
}

TEST_P(PhraseSearchTest, ASentenceWithoutPhrasesHasTheBitsOfASearchWithoutPhrases) {
  const std::vector<Ids> sentences = {{4, kEos}, {5, 6, kEos}, {7, kEos}, {}, {8, 9, 10, kEos}};
  const auto told = given({{}, {{5, 6}}, {}, {{7}}, {{9}}});
  for (const std::int64_t beam_size : {1, 4}) {
    config_ = {.beam_size = beam_size, .length_penalty = 1, .patience = 2, .n_best = beam_size, .batch_size = 3};
    const auto usual = collected_search(random_, sentences, config_);
    const auto found = collected_search(random_, sentences, config_, told);
    for (const std::size_t i : {0, 2, 3}) {
      EXPECT_EQ(ids_of(found[i]), ids_of(usual[i]));
      for (std::size_t n = 0; n < usual[i].size(); ++n) EXPECT_EQ(found[i][n].score, usual[i][n].score);
    }
    expect_all(found[1], {{5, 6}});
    expect_all(found[4], {{9}});
  }
}

TEST_P(PhraseSearchTest, PhrasesFitBeforeTheLengthLimit) {
  const std::vector<Ids> wanted = {{5, 6, 7}, {8, 9}};
  for (const std::int64_t beam_size : {1, 3})
    for (const std::int64_t max_length : {5, 6, 7}) {
      config_ = {.beam_size = beam_size, .length_penalty = 1, .max_length = max_length, .n_best = beam_size};
      const auto found = search_one(random_, wanted);
      expect_all(found, wanted);
      for (const auto& hypothesis : found) EXPECT_LE(std::ssize(hypothesis.ids), max_length);
    }
  config_.max_length = 4;
  const auto found = search_one(random_, wanted);
  expect_all(found, {{5, 6, 7}});  // the other does not fit
  EXPECT_LE(found[0].ids.size(), 4u);
}

TEST_P(PhraseSearchTest, PhrasesThatDoNotFitAreReported) {
  using Told = std::pair<std::int64_t, std::int64_t>;
  std::vector<Told> told;
  const SearchHooks hooks{
      .on_left_out = [&told](std::int64_t sentence, std::int64_t phrases) { told.emplace_back(sentence, phrases); }};
  const std::vector<Ids> sentences = {{4, kEos}, {5, 6, kEos}, {7, kEos}, {8, kEos}};
  config_ = {.beam_size = 2, .length_penalty = 0, .max_length = 4, .batch_size = 2};
  const std::vector<std::vector<Ids>> wanted = {{{5, 6}, {7, 8}}, {}, {{5}, {6, 7, 8, 9}, {10}}, {{5, 6}}};
  batched_search(random_, sentences, config_, given(wanted), hooks);
  EXPECT_THAT(told, ElementsAre(Told{2, 2}));
  told.clear();
  auto behind_prefixes = given(wanted);
  behind_prefixes.prefixes = {{5, 6, 11}, {}, {}, {11, 12, 13}};
  batched_search(random_, sentences, config_, behind_prefixes, hooks);
  EXPECT_THAT(told, testing::UnorderedElementsAre(Told{0, 1}, Told{2, 2}, Told{3, 1}));
}

TEST_P(PhraseSearchTest, APrefixStandsFirstAndMayHoldPhrases) {
  const auto count_of = [&](const std::vector<Ids>& wanted, const Ids& prefix, const Ids& ids) {
    const auto found = search_one(random_, wanted, prefix).at(0).ids;
    EXPECT_TRUE(std::equal(prefix.begin(), prefix.end(), found.begin())) << testing::PrintToString(found);
    return count(found, ids);
  };
  config_.max_length = 7;
  EXPECT_EQ(count_of({{5, 6}}, {11, 5, 6, 12}, {5, 6}), 1);
  EXPECT_EQ(count_of({{5, 6}, {5, 6}}, {11, 5, 6, 12}, {5, 6}), 2);
  EXPECT_EQ(count_of({{5, 6, 7}}, {11, 12, 13, 14, 5}, {5, 6, 7}), 1);  // continues the phrase that the prefix begins
  EXPECT_EQ(count_of({{5, 6, 7}}, {11, 12, 13, 14, 15}, {5, 6, 7}), 0);
}

TEST_P(PhraseSearchTest, NoBanHoldsOffAPhrase) {
  config_ = {.beam_size = 3, .length_penalty = 1, .min_length = 10, .no_repeat_ngram = 1, .n_best = 3};
  config_.repetition_penalty = 3;
  const std::vector<Ids> wanted = {{5, 6}, {5, 6}, {7}};
  const auto found = search_one(random_, wanted);
  expect_all(found, wanted);
  for (const auto& hypothesis : found) {
    EXPECT_GE(hypothesis.ids.size(), 10u);
    for (Id id = 4; id < kSearchedVocabulary; ++id)
      EXPECT_TRUE(id == 5 || id == 6 || count(hypothesis.ids, {id}) <= 1) << id;
  }
}

TEST_P(PhraseSearchTest, AModelObeysAndScoresAreThoseOfTheSameIds) {
  const auto scorer = make_scorer(small_model(device()), small_config(), 20);
  const std::vector<std::vector<Ids>> wanted = {{{12, 13}, {14}}, {{19, 18, 17}}, {{5}, {5}}};
  for (const std::int64_t beam_size : {1, 4})
    for (const double coverage_penalty : {0., 0.2}) {
      config_ = {.beam_size = beam_size, .length_penalty = 0, .coverage_penalty = coverage_penalty};
      const auto found = collected_search(*scorer, small_sources(), config_, given(wanted));
      std::vector<Ids> generated;
      for (std::size_t b = 0; b < found.size(); ++b) {
        expect_all(found[b], wanted[b]);
        ASSERT_THAT(found[b], SizeIs(1));
        generated.push_back(found[b][0].ids);
        if (found[b][0].ended) generated.back().push_back(kEos);
      }
      const auto scores = forced_token_scores(*scorer, small_sources(), generated, 3);
      for (std::size_t b = 0; b < found.size(); ++b) {
        EXPECT_NEAR(found[b][0].log_probability, scores[b].log_probability, 1e-5);
        if (device().is_cpu()) {
          EXPECT_EQ(found[b][0].log_probability, scores[b].log_probability);
        }
      }
    }
}

TEST_P(PhraseSearchTest, InvalidOptionsAreRefused) {
  const std::vector<Ids> sentences = {{4, kEos}};
  EXPECT_THAT(
      [&] {
        batched_search(random_, sentences, config_, given({{}, {}}));
      },
      ThrowsMessage<UsageError>(HasSubstr("phrases: wanted one for each of 1 sentences, got 2")));
  const auto refused = [&](const SearchInputs& told, const std::string& why) {
    EXPECT_THAT([&] { batched_search(random_, sentences, config_, told); }, ThrowsMessage<UsageError>(HasSubstr(why)));
  };
  refused(given({{{5}, {}}}), "phrases: wanted one piece at least, got a phrase of sentence 1 that has none");
  for (const Id id : {-1, static_cast<int>(kEos), static_cast<int>(kSearchedVocabulary)})
    refused(given({{{5, id}}}), "phrases: wanted pieces from 4 to 19, got " + std::to_string(id));
  auto told = given({{{5}}});
  told.continues_word = std::span(goes_on_).first(19);
  refused(told, "continues_word: wanted one for each of 20 pieces, got 19");
  config_.sampling.enabled = true;
  EXPECT_THAT([&] { batched_search(random_, sentences, config_, given({{{5}}})); },
              ThrowsMessage<UsageError>(HasSubstr("drawn")));
}

INSTANTIATE_DEVICES(PhraseSearchTest);

}  // namespace
}  // namespace gloss
