#include "alignment/diagonal_prior.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gloss {
namespace {

double distance(std::size_t g, std::size_t given, std::size_t e, std::size_t emitted) {
  return std::abs(static_cast<double>(g + 1) / static_cast<double>(given) -
                  static_cast<double>(e + 1) / static_cast<double>(emitted));
}

TEST(DiagonalPriorTest, ProbabilitiesAreThoseOfTheDefinition) {
  DiagonalPrior prior;
  for (const double lambda : {0.0, 0.1, 4.0, 14.0})
    for (const std::size_t given : {1u, 2u, 7u, 300u})
      for (const std::size_t emitted : {1u, 3u, 7u, 11u}) {
        prior.prepare(lambda, given, emitted);
        for (std::size_t e = 0; e < emitted; ++e) {
          std::vector<double> expected(given), written(given);
          double sum = 0;
          for (std::size_t g = 0; g < given; ++g) {
            expected[g] = std::exp(-lambda * distance(g, given, e, emitted));
            sum += expected[g];
          }
          prior.write(e, 0.92, written.data());
          for (std::size_t g = 0; g < given; ++g)
            ASSERT_NEAR(written[g], 0.92 * expected[g] / sum, 1e-13) << lambda << ' ' << given << ' ' << emitted;
        }
      }
}

/// Returns the mean distance of the links that the prior expects, by the definition.
double expected_distance(double lambda, const SizeCounts& sizes) {
  double result = 0, words = 0;
  for (const auto& [size, count] : sizes)
    for (std::size_t e = 0; e < size.second; ++e) {
      double sum = 0, distances = 0;
      for (std::size_t g = 0; g < size.first; ++g) {
        const auto of_link = distance(g, size.first, e, size.second), weight = std::exp(-lambda * of_link);
        sum += weight;
        distances += weight * of_link;
      }
      result += static_cast<double>(count) * distances / sum;
      words += static_cast<double>(count);
    }
  return result / words;
}

TEST(OptimizedLambdaTest, AscentEndsWhereThePriorHasTheDistanceOfTheLinks) {
  const SizeCounts sizes{{{5, 6}, 3}, {{9, 8}, 2}};
  const double words = 3 * 6 + 2 * 8;
  double lambda = 4;
  const auto wanted = expected_distance(6.5, sizes);
  for (int i = 0; i < 200; ++i) lambda = optimized_lambda(lambda, wanted, sizes, words);
  EXPECT_NEAR(lambda, 6.5, 1e-6);
}

TEST(OptimizedLambdaTest, IsLimited) {
  const SizeCounts sizes{{{5, 6}, 1}};
  double low = 4, high = 4;
  for (int i = 0; i < 100; ++i) {
    low = optimized_lambda(low, 0.9, sizes, 6);
    high = optimized_lambda(high, 0.0, sizes, 6);
  }
  EXPECT_DOUBLE_EQ(low, 0.1);
  EXPECT_DOUBLE_EQ(high, 14);
}

}  // namespace
}  // namespace gloss
