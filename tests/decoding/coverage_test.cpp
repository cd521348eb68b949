// Beam search with a coverage penalty (Wu et al. 2016, equation 14).
#include <cmath>

#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decoding/scorers/make_scorer.h"
#include "tests/decoding/collected_search.h"
#include "tests/decoding/fake_scorer.h"
#include "tests/support/device_test.h"
#include "tests/support/small_model.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

/// Returns pseudo-random attention, a function of source and prefix.
std::vector<float> random_attention(const Ids& source, const Ids& generated) {
  const auto numbers = random_rule(std::ssize(source))(source, generated);
  float sum = 0;
  for (const auto number : numbers) sum += number;
  std::vector<float> shares;
  for (const auto number : numbers) shares.push_back(number / sum);
  return shares;
}

/// Returns the coverage score from the attention at each step of a hypothesis, by the equation.
double wanted_score(const std::vector<std::vector<float>>& steps, const Hypothesis& hypothesis,
                    const DecodingConfig& config) {
  double penalty = 0;
  for (std::size_t i = 0; i < steps.front().size(); ++i) {
    double sum = 0;
    for (const auto& step : steps) sum += step[i];
    penalty += std::log(std::min(sum, 1.0));
  }
  const auto length = static_cast<double>(hypothesis.ids.size() + (hypothesis.ended ? 1 : 0));
  return hypothesis.log_probability / std::pow(length, config.length_penalty) + config.coverage_penalty * penalty;
}

class CoverageTest : public DeviceTest {
 protected:
  DecodingConfig config_{.beam_size = 3, .length_penalty = 0, .coverage_penalty = 0.5, .n_best = 3};
};

TEST_P(CoverageTest, ATranslationOfAllOfTheSourceWinsOverALikelierOne) {
  const auto rule = table({{{}, {{kA, 0.55}, {kB, 0.45}}}}, kWords);
  const FakeScorer::Attention attention = [](const Ids&, const Ids& generated) {
    if (generated == Ids{kB}) return std::vector<float>{0.1F, 0.9F};
    return generated.empty() ? std::vector<float>{0.9F, 0.1F} : std::vector<float>{0.6F, 0.4F};
  };
  const FakeScorer scorer(rule, kWords, device(), {.attention = attention});
  config_.beam_size = config_.n_best = 2;
  const auto with = beam_search(scorer, sources(1, device()), config_)[0];
  EXPECT_THAT(ids_of(with), ElementsAre(Ids{kB}, Ids{kA}));
  EXPECT_NEAR(with[0].score, std::log(0.45), 1e-6);
  EXPECT_NEAR(with[1].score, std::log(0.55) + 0.5 * std::log(0.5), 1e-6);
  config_.coverage_penalty = 0.1;
  EXPECT_THAT(ids_of(beam_search(scorer, sources(1, device()), config_)[0]), ElementsAre(Ids{kA}, Ids{kB}));
}

TEST_P(CoverageTest, ScoresAreOfTheHypothesissOwnAttentionThroughAllSelections) {
  const FakeScorer scorer(random_rule(12), 12, device(), {.max_target_length = 9, .attention = random_attention});
  const Rows source = {{4, 5, 6, 7, 8, 9, 10, kEos}, {5, kEos}, {6, 7, 8, kEos}, {9, 8, 7, 6, 5, kEos}};
  for (const double penalty : {0.0, 1.0}) {
    config_.length_penalty = penalty;
    const auto found = beam_search(scorer, pad(source, device()), config_);
    ASSERT_THAT(found, SizeIs(source.size()));
    for (std::size_t b = 0; b < source.size(); ++b) {
      EXPECT_FALSE(found[b].empty());
      for (const auto& hypothesis : found[b]) {
        std::vector<std::vector<float>> steps;
        for (std::size_t t = 0; t < hypothesis.ids.size() + (hypothesis.ended ? 1 : 0); ++t)
          steps.push_back(random_attention(source[b], {hypothesis.ids.begin(), hypothesis.ids.begin() + t}));
        EXPECT_NEAR(hypothesis.score, wanted_score(steps, hypothesis, config_), 1e-5);
      }
    }
  }
}

TEST_P(CoverageTest, WithoutItNoAttentionIsComputed) {
  const FakeScorer scorer(random_rule(12), 12, device(), {.max_target_length = 9});  // a scorer without attention
  config_.coverage_penalty = 0;
  EXPECT_THAT(beam_search(scorer, sources(3, device()), config_), SizeIs(3));
}

TEST_P(CoverageTest, TheScoreOfASingleHypothesisHasItToo) {
  const FakeScorer scorer(random_rule(12), 12, device(), {.max_target_length = 9, .attention = random_attention});
  config_.beam_size = config_.n_best = 1;
  const std::vector<Ids> source = {{4, 5, 6, 7, 8, 9, 10, kEos}};
  const auto with = collected_search(scorer, source, config_)[0];
  config_.coverage_penalty = 0;
  const auto without = collected_search(scorer, source, config_)[0];
  EXPECT_EQ(ids_of(with), ids_of(without));
  EXPECT_LT(with[0].score, without[0].score);
}

TEST_P(CoverageTest, AModelsScoresAreOfItsAttention) {
  const auto scorer = make_scorer(small_model(device()), small_config(), 12);
  const Rows source = small_sources();
  const auto found = beam_search(*scorer, pad(source, device()), config_);
  ASSERT_THAT(found, SizeIs(source.size()));
  for (std::size_t b = 0; b < source.size(); ++b)
    for (const auto& hypothesis : found[b]) {
      const auto state = scorer->start(pad(Rows{source[b]}, device()));
      std::vector<std::vector<float>> steps;
      Ids generated = {kBos};
      generated.insert(generated.end(), hypothesis.ids.begin(), hypothesis.ids.end());
      if (!hypothesis.ended) generated.pop_back();
      for (const auto id : generated) {
        const auto attention = scorer->step(*state, Ids{id}, AttentionSite{}).attention.cpu().contiguous();  // [1, S]
        steps.emplace_back(attention.const_data_ptr<float>(), attention.const_data_ptr<float>() + attention.numel());
      }
      EXPECT_NEAR(hypothesis.score, wanted_score(steps, hypothesis, config_), 1e-4);
    }
}

INSTANTIATE_DEVICES(CoverageTest);

}  // namespace
}  // namespace gloss
