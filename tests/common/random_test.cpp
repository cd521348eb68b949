#include "common/random.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gloss {
namespace {

using Block = std::array<std::uint32_t, 4>;

const RandomStream kStream = RandomStream(42, "data").stream("shuffle").at(7, 3);

// Returns the sum of (observed - expected)^2 / expected over equally likely bins.
double chi_square(const std::vector<int>& counts) {
  const double expected = std::accumulate(counts.begin(), counts.end(), 0.0) / static_cast<double>(counts.size());
  double sum = 0;
  for (const int count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

// Mean plus four deviations of the chi-square distribution: a fair generator fails once in some 10,000 seeds.
double limit(std::size_t bins) {
  const auto freedom = static_cast<double>(bins - 1);
  return freedom + 4 * std::sqrt(2 * freedom);
}

// The known answers published by the authors with Random123.
TEST(PhiloxTest, GivesTheKnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// The expected numbers are computed by tests/golden/philox.py.
TEST(RandomStreamTest, MatchesAnIndependentImplementation) {
  EXPECT_EQ(RandomStream(42, "data").key(), (std::array<std::uint32_t, 2>{0xddf100b3, 0xf9c743a1}));
  EXPECT_EQ(kStream.key(), (std::array<std::uint32_t, 2>{0x291815ba, 0xbbe042a3}));
  EXPECT_EQ(kStream.block(0), (Block{0x6370ea03, 0xb8724c7a, 0xffb2a913, 0xb0689e75}));
  EXPECT_EQ(kStream.bits(1), 0xb8724c7aU);
  EXPECT_EQ(kStream.bits(4), 0xde4674dbU);
  EXPECT_EQ(kStream.bits((1ULL << 34) + 1), 0x7a2c5481U);
  const std::array normal = {-0.3023451568050323, 1.6138487238450714, -0.3300549879546533, -2.2564748495721125};
  for (std::uint64_t e = 0; e < normal.size(); ++e) EXPECT_NEAR(kStream.normal(e), normal[e], 1e-14);
  const std::array<std::uint64_t, 4> below = {720494065, 174204682, 944248083, 70202655};
  for (std::uint64_t e = 0; e < below.size(); ++e) EXPECT_EQ(kStream.below(1'000'000'007, e), below[e]);

  std::vector<int> order(20);
  std::iota(order.begin(), order.end(), 0);
  kStream.shuffle(std::span(order));
  EXPECT_THAT(order, testing::ElementsAre(7, 1, 5, 19, 18, 12, 0, 8, 3, 6, 13, 17, 10, 11, 4, 2, 9, 16, 15, 14));
}

TEST(RandomStreamTest, NamesSeedsUpdatesAndMicroBatchesGiveDifferentStreams) {
  const RandomStream base(1, "a");
  const std::vector<RandomStream> streams = {base,
                                             RandomStream(2, "a"),
                                             RandomStream(1, "b"),
                                             RandomStream(1, ""),
                                             base.stream("a"),
                                             base.stream("b"),
                                             base.stream("a").stream("b"),
                                             base.stream("b").stream("a"),
                                             base.at(1),
                                             base.at(0, 1),
                                             base.at(1, 1)};
  std::set<Block> blocks;
  for (const auto& stream : streams) blocks.insert(stream.block(0));
  EXPECT_EQ(blocks.size(), streams.size());

  constexpr std::uint64_t kCount = 20'000;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double covariance = 0;
      for (std::uint64_t e = 0; e < kCount; ++e) {
        covariance += (streams[i].uniform(e) - 0.5) * (streams[j].uniform(e) - 0.5);
      }
      EXPECT_LT(std::abs(covariance * 12 / kCount), 5 / std::sqrt(kCount)) << i << " and " << j;
    }
  }
}

TEST(RandomStreamTest, ChildStreamKeepsUpdateAndMicroBatch) {
  const auto below = RandomStream(1, "a").at(5, 6).stream("b");
  EXPECT_EQ(below.update(), 5U);
  EXPECT_EQ(below.shard(), 6U);
  EXPECT_EQ(below.block(3), RandomStream(1, "a").stream("b").at(5, 6).block(3));
}

TEST(RandomStreamTest, UniformIsUniform) {
  std::vector<int> counts(256);
  for (std::uint64_t e = 0; e < 200'000; ++e) {
    const auto value = kStream.uniform(e);
    ASSERT_GE(value, 0);
    ASSERT_LT(value, 1);
    ++counts[static_cast<std::size_t>(value * 256)];
  }
  EXPECT_LT(chi_square(counts), limit(counts.size()));
}

TEST(RandomStreamTest, NormalHasTheMomentsOfTheNormalDistribution) {
  constexpr int kCount = 200'000;
  double first = 0, second = 0, third = 0, fourth = 0;
  for (std::uint64_t e = 0; e < kCount; ++e) {
    const auto x = kStream.normal(e);
    first += x / kCount, second += x * x / kCount, third += x * x * x / kCount, fourth += x * x * x * x / kCount;
  }
  const double error = 4 / std::sqrt(kCount);  // four deviations of a mean of unit variance
  EXPECT_NEAR(first, 0, error);
  EXPECT_NEAR(second, 1, error * std::sqrt(2));
  EXPECT_NEAR(third, 0, error * std::sqrt(15));
  EXPECT_NEAR(fourth, 3, error * std::sqrt(96));
}

TEST(RandomStreamTest, BelowIsUniformAndStaysBelow) {
  std::vector<int> counts(10);
  for (std::uint64_t e = 0; e < 100'000; ++e) ++counts.at(kStream.below(10, e));
  EXPECT_LT(chi_square(counts), limit(counts.size()));
  bool high = false;
  for (const auto bound : {std::uint64_t{1}, std::uint64_t{3}, (std::uint64_t{1} << 33) + 1, ~std::uint64_t{0}}) {
    for (std::uint64_t e = 0; e < 1'000; ++e) {
      ASSERT_LT(kStream.below(bound, e), bound);
      high |= kStream.below(bound, e) > std::uint64_t{1} << 63;
    }
  }
  EXPECT_TRUE(high);
}

TEST(RandomStreamTest, ShuffleIsAUniformPermutation) {
  constexpr int kSize = 8;
  std::vector<int> counts(kSize * kSize);
  for (std::uint32_t update = 0; update < 20'000; ++update) {
    std::vector<int> order(kSize);
    std::iota(order.begin(), order.end(), 0);
    kStream.at(update).shuffle(std::span(order));
    for (int position = 0; position < kSize; ++position)
      ++counts[static_cast<std::size_t>(kSize * order[position] + position)];
    std::ranges::sort(order);
    for (int i = 0; i < kSize; ++i) ASSERT_EQ(order[i], i);
  }
  EXPECT_LT(chi_square(counts), limit(counts.size()));
}

}  // namespace
}  // namespace gloss
