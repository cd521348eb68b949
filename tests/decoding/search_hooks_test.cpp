#include "decoding/search_hooks.h"

#include <map>
#include <stdexcept>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/decoding/collected_search.h"
#include "tests/decoding/fake_scorer.h"
#include "tests/support/device_test.h"

namespace gloss {
namespace {

constexpr std::int64_t kHookVocabulary = 12;

/// Six sentences, one of them empty, in batches of two.
class SearchHooksTest : public DeviceTest {
 protected:
  std::vector<std::vector<Hypothesis>> search(const SearchHooks& hooks) {
    return collected_search(scorer_, sources_, config_, {}, hooks);
  }

  FakeScorer scorer_{random_rule(kHookVocabulary), kHookVocabulary, device()};
  std::vector<Ids> sources_ = {{4, kEos}, {5, 6, 7, kEos}, {}, {8, 9, kEos}, {6, kEos}, {9, 4, 5, 6, kEos}};
  DecodingConfig config_{.beam_size = 1, .max_length = 20, .batch_size = 2};
};

TEST_P(SearchHooksTest, EachSentenceIsFoundOnceWithTheResultOfItsSearch) {
  for (const std::int64_t beam_size : {1, 3}) {
    config_.beam_size = beam_size;
    config_.n_best = beam_size;
    std::map<std::int64_t, std::vector<Hypothesis>> found;
    SearchHooks hooks;
    hooks.on_found = [&](std::int64_t sentence, const auto& hypotheses) {
      EXPECT_TRUE(found.emplace(sentence, hypotheses).second) << sentence;
    };
    search(hooks);
    EXPECT_EQ(found.size(), 5u);
    for (const auto& [sentence, hypotheses] : found) {
      const auto source = pad(std::vector<Ids>{sources_[sentence]}, device());
      const auto wanted =
          beam_size == 1 ? greedy_search(scorer_, source, config_) : beam_search(scorer_, source, config_).front();
      ASSERT_EQ(hypotheses.size(), wanted.size());
      for (std::size_t i = 0; i < hypotheses.size(); ++i) {
        EXPECT_EQ(hypotheses[i].ids, wanted[i].ids);
        EXPECT_EQ(hypotheses[i].score, wanted[i].score);
        EXPECT_EQ(hypotheses[i].ended, wanted[i].ended);
      }
    }
  }
}

TEST_P(SearchHooksTest, ABeamIsReportedWithItsSentenceAfterEachStep) {
  config_.beam_size = 3;
  std::map<std::int64_t, std::size_t> steps;
  std::map<std::int64_t, double> best;
  const auto result = search({.on_beam = [&](std::int64_t sentence, auto candidates, const Beam& beam) {
    EXPECT_FALSE(candidates.empty());
    ++steps[sentence];
    if (!beam.finished().empty()) best[sentence] = beam.finished().front().score;
  }});
  EXPECT_EQ(steps.size(), 5u);
  for (const auto& [sentence, score] : best) {
    EXPECT_EQ(score, result[sentence].front().score) << sentence;
    EXPECT_GE(steps[sentence], result[sentence].front().token_log_probabilities.size());
  }
  EXPECT_EQ(best.size(), 5u);
}

TEST_P(SearchHooksTest, GreedySearchDropsASentenceThatIsNotWanted) {
  std::map<std::int64_t, int> tokens, found;
  SearchHooks hooks;
  hooks.wanted = [](std::int64_t sentence) { return sentence != 1; };
  hooks.on_token = [&](std::int64_t sentence, Id, double) { ++tokens[sentence]; };
  hooks.on_found = [&](std::int64_t sentence, const auto&) { ++found[sentence]; };
  config_.min_length = 4;
  search(hooks);
  EXPECT_EQ(tokens[1], 1);
  EXPECT_FALSE(found.contains(1));
  EXPECT_EQ(found.size(), 4u);
}

TEST_P(SearchHooksTest, EverySearchReportsTheTokensOfItsBestTranslationBeforeItIsFound) {
  const std::vector<DecodingConfig> configs = {
      {.beam_size = 1},
      {.beam_size = 3, .n_best = 2},
      {.beam_size = 4, .shrinking_beam = true},
      {.beam_size = 4, .length_penalty = 0, .patience = 2},
      {.beam_size = 1, .sampling = {.enabled = true}},
      {.beam_size = 1, .n_best = 3, .sampling = {.enabled = true}},
  };
  for (const auto& config : configs) {
    config_ = config;
    config_.batch_size = 2;
    config_.max_length = 20;
    config_.min_length = 5;
    std::vector<Ids> told(sources_.size());
    std::vector<std::vector<double>> log_probabilities(sources_.size());
    std::vector<Ids> told_before_step;
    std::size_t early = 0;  // tokens that are told before the last step of their sentence
    SearchHooks hooks;
    hooks.before_step = [&] { told_before_step = told; };
    hooks.on_token = [&](std::int64_t sentence, Id token, double log_probability) {
      told[sentence].push_back(token);
      log_probabilities[sentence].push_back(log_probability);
    };
    hooks.on_found = [&](std::int64_t sentence, const std::vector<Hypothesis>& found) {
      EXPECT_EQ(told[sentence], found.front().ids);
      early += told_before_step[sentence].size();
    };
    const auto result = search(hooks);
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (sources_[i].empty()) continue;
      const auto& best = result[i].at(0);
      EXPECT_EQ(told[i], best.ids);
      log_probabilities[i].resize(best.token_log_probabilities.size(), best.token_log_probabilities.back());
      EXPECT_EQ(log_probabilities[i], best.token_log_probabilities);  // eos is not told
    }
    const bool at_the_end = config_.sampling.enabled && config_.n_best > 1;
    EXPECT_EQ(early > 0, !at_the_end);
  }
}

TEST_P(SearchHooksTest, ASentenceThatIsNotWantedIsDroppedAndTheOthersGoOn) {
  config_.min_length = 5;
  for (const bool samples : {false, true})
    for (const std::int64_t beam_size : {1, 3}) {
      config_.sampling.enabled = samples;
      config_.beam_size = beam_size;
      const auto all = search({});
      std::map<std::int64_t, Ids> found;
      SearchHooks hooks;
      hooks.wanted = [](std::int64_t sentence) { return sentence != 3; };
      hooks.on_found = [&](std::int64_t sentence, const auto& hypotheses) { found[sentence] = hypotheses.front().ids; };
      search(hooks);
      EXPECT_EQ(found.size(), 4u);
      EXPECT_FALSE(found.contains(3));
      for (const auto& [sentence, ids] : found) EXPECT_EQ(ids, all[sentence].front().ids);
    }
}

TEST_P(SearchHooksTest, AnExceptionBeforeAStepEndsTheSearch) {
  config_.min_length = 5;
  for (const std::int64_t beam_size : {1, 3}) {
    config_.beam_size = beam_size;
    const auto before = scorer_.steps().size();
    int calls = 0;
    SearchHooks hooks;
    hooks.before_step = [&] {
      if (++calls == 3) throw std::runtime_error("enough");
    };
    EXPECT_THROW(search(hooks), std::runtime_error);
    EXPECT_EQ(scorer_.steps().size() - before, 2u);
  }
}

INSTANTIATE_DEVICES(SearchHooksTest);

}  // namespace
}  // namespace gloss
