#include "decoding/sampling.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/random.h"

namespace gloss {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// Returns logits whose softmax gives these probabilities.
std::vector<float> logits_of(const std::vector<double>& probabilities) {
  std::vector<float> logits;
  for (const double probability : probabilities) logits.push_back(static_cast<float>(std::log(probability) + 3));
  return logits;
}

auto near(double value) { return DoubleNear(value, 1e-6); }

const std::vector<float> kLogits = logits_of({0.38, 0.18, 0.16, 0.15, 0.13});

TEST(SamplingTest, WithoutOptionsItIsTheSoftmax) {
  EXPECT_THAT(sampling_distribution(kLogits, {}),
              ElementsAre(near(0.38), near(0.18), near(0.16), near(0.15), near(0.13)));
  EXPECT_THAT(sampling_distribution(logits_of({0.1, 0.7, 0.2}), {}), ElementsAre(near(0.1), near(0.7), near(0.2)));
}

TEST(SamplingTest, TopPKeepsTheFewestThatReachItAndRenormalizes) {
  EXPECT_THAT(sampling_distribution(kLogits, {.top_p = 0.5}), ElementsAre(near(0.38 / 0.56), near(0.18 / 0.56)));
  const auto two = sampling_distribution(kLogits, {.top_p = 0.5});
  EXPECT_EQ(std::round(two[0] * 100), 68);
  EXPECT_EQ(std::round(two[1] * 100), 32);
  EXPECT_THAT(sampling_distribution(kLogits, {.top_p = 0.37}), ElementsAre(near(1)));
  EXPECT_THAT(sampling_distribution(kLogits, {.top_p = 0.39}), SizeIs(2));
  EXPECT_THAT(sampling_distribution(kLogits, {.top_p = 1e-9}), SizeIs(1)) << "one at least";
  EXPECT_THAT(sampling_distribution(kLogits, {.top_p = 0.9999}), SizeIs(5));
}

TEST(SamplingTest, TopKKeepsTheFirstAndRenormalizes) {
  EXPECT_THAT(sampling_distribution(kLogits, {.top_k = 2}), ElementsAre(near(0.38 / 0.56), near(0.18 / 0.56)));
  EXPECT_THAT(sampling_distribution(kLogits, {.top_k = 1}), ElementsAre(near(1)));
  EXPECT_THAT(sampling_distribution(kLogits, {.top_k = 99}), SizeIs(5));
}

TEST(SamplingTest, TemperatureDividesLogits) {
  // The square roots and the squares of 0.64, 0.32 and 0.04.
  const auto logits = logits_of({0.64, 0.32, 0.04});
  const auto warm = sampling_distribution(logits, {.temperature = 2});
  EXPECT_NEAR(warm[0] / warm[2], 4, 1e-5);
  const auto cold = sampling_distribution(logits, {.temperature = 0.5});
  EXPECT_NEAR(cold[0] / cold[1], 4, 1e-5);
  EXPECT_THAT(sampling_distribution(logits, {.temperature = 1e-300}), ElementsAre(1, 0, 0));
}

// At temperature 1/2 0.5, 0.3 and 0.2 become 0.658, 0.237 and 0.105; of the two first 0.735 and 0.265.
TEST(SamplingTest, TemperatureComesBeforeTopKAndThatBeforeTopP) {
  const auto logits = logits_of({0.5, 0.3, 0.2});
  EXPECT_THAT(sampling_distribution(logits, {.temperature = 0.5, .top_p = 0.64}), SizeIs(1));
  EXPECT_THAT(sampling_distribution(logits, {.temperature = 0.5, .top_p = 0.7}), SizeIs(2));
  EXPECT_THAT(sampling_distribution(logits, {.temperature = 0.5, .top_k = 2, .top_p = 0.7}), SizeIs(1));
  EXPECT_THAT(sampling_distribution(logits, {.temperature = 0.5, .top_k = 2, .top_p = 0.75}),
              ElementsAre(near(0.25 / 0.34), near(0.09 / 0.34)));
}

TEST(SamplingTest, TokensWithoutProbabilityAreNotDrawn) {
  constexpr auto kMinusInfinity = -std::numeric_limits<float>::infinity();
  EXPECT_THAT(sampling_distribution(std::vector<float>{2, kMinusInfinity}, {}), ElementsAre(1, 0));
  EXPECT_THAT(sampling_distribution(std::vector<float>{kMinusInfinity, kMinusInfinity}, {}), IsEmpty());
  EXPECT_THAT(sampling_distribution({}, {}), IsEmpty());
  const std::vector<double> probabilities = {0, 0.5, 0, 0.5, 0};
  EXPECT_EQ(index_of_share(probabilities, 0), 1u);
  EXPECT_EQ(index_of_share(probabilities, 0.4999), 1u);
  EXPECT_EQ(index_of_share(probabilities, 0.5), 3u);
  EXPECT_EQ(index_of_share(probabilities, 0.9999), 3u);
  EXPECT_EQ(index_of_share(std::vector<double>{0.5, 0.4999, 0}, 0.99999), 1u) << "rounding";
}

/// Returns the chi-squared statistic of counts against expected ones.
double chi_square(const std::vector<std::int64_t>& counts, const std::vector<double>& probabilities, double draws) {
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = probabilities[i] * draws;
    sum += std::pow(static_cast<double>(counts[i]) - expected, 2) / expected;
  }
  return sum;
}

// A value of 18.5 is exceeded in one of a thousand with four degrees of freedom, 13.8 with two.
TEST(SamplingTest, DrawsAreAsOftenAsTheirProbabilities) {
  const RandomStream random(5, "sampling");
  constexpr std::int64_t kDraws = 50'000;
  for (const auto& [config, most] : {std::pair{SamplingConfig{}, 18.5}, {SamplingConfig{.top_k = 3}, 13.8}}) {
    const auto probabilities = sampling_distribution(kLogits, config);
    std::vector<std::int64_t> by_sentence(probabilities.size()), by_position(probabilities.size());
    for (std::int64_t i = 0; i < kDraws; ++i) {
      ++by_sentence[index_of_share(probabilities, random.at(static_cast<std::uint32_t>(i)).uniform(1))];
      ++by_position[index_of_share(probabilities, random.at(3).uniform(static_cast<std::uint64_t>(i)))];
    }
    for (const auto& counts : {by_sentence, by_position}) {
      EXPECT_LT(chi_square(counts, probabilities, kDraws), most);
      EXPECT_GT(chi_square(counts, probabilities, kDraws), 0.05) << "too even for chance";
    }
  }
}

}  // namespace
}  // namespace gloss
