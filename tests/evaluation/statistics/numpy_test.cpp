#include "evaluation/statistics/numpy.h"

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "evaluation/statistics/resampling_seed.h"

namespace gloss {
namespace {

using nlohmann::json;

constexpr std::uint32_t kBounds[] = {1, 2, 3, 10, 1000, (1U << 31) + 1, 3U << 30, ~0U};

json draws() { return json::parse(std::ifstream(GLOSS_GOLDEN_FOLDER "/resampling.json")).at("draws"); }

TEST(NumpyRandomTest, EqualsNumPy) {
  const auto all = draws();
  ASSERT_FALSE(all.empty());
  for (const auto& expected : all) {
    SCOPED_TRACE(expected.at("seed").get<std::string>());
    Pcg64 generator(ResamplingSeed::parse(expected.at("seed")).value().words);
    for (std::size_t i = 0; i < std::size(kBounds); ++i)
      for (const auto& number : expected.at("chosen").at(i)) EXPECT_EQ(generator.below(kBounds[i]), number);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < expected.at("bits").size(); ++i, bits >>= 1) {
      if (i % 32 == 0) bits = generator.next32();
      EXPECT_EQ(bits & 1, expected.at("bits").at(i));
    }
    EXPECT_FALSE(expected.at("bits").empty());
    EXPECT_FALSE(expected.at("behind").empty());
    for (const auto& number : expected.at("behind")) EXPECT_EQ(generator.below(1000), number);
  }
}

// With and without a pending half of a 64-bit number.
TEST(NumpyRandomTest, SkippingEqualsDrawing) {
  for (const std::uint64_t before : {0, 1, 2, 3})
    for (const std::uint64_t skipped : {0, 1, 2, 3, 4, 5, 1000, 1001}) {
      Pcg64 drawn(std::vector<std::uint32_t>{7}), skipping(std::vector<std::uint32_t>{7});
      for (std::uint64_t i = 0; i < before; ++i) skipping.next32();
      skipping.skip32(skipped);
      for (std::uint64_t i = 0; i < before + skipped; ++i) drawn.next32();
      for (int i = 0; i < 3; ++i) EXPECT_EQ(skipping.next32(), drawn.next32()) << before << ' ' << skipped;
    }
}

using nlohmann::json;

json golden(const std::string& key) {
  return json::parse(std::ifstream(GLOSS_GOLDEN_FOLDER "/resampling.json")).at(key);
}

// Returns number k by the formula of tests/golden/resampling.py.
double number(std::uint64_t k) {
  const double x = static_cast<double>(100 * (k * 2654435761 % (std::uint64_t{1} << 32))) / 4294967296.0;
  return x * x;
}

TEST(MeansTest, EqualNumPyAndPython) {
  const auto means = golden("means");
  ASSERT_FALSE(means.empty());
  for (const auto& expected : means) {
    SCOPED_TRACE(expected.at("count").get<int>());
    std::vector<double> doubles;
    for (std::uint64_t k = 0; k < expected.at("count"); ++k) doubles.push_back(number(k));
    const std::vector<float> floats(doubles.begin(), doubles.end());
    EXPECT_EQ(numpy_mean<float>(floats), expected.at("single").get<float>());
    EXPECT_EQ(numpy_mean<double>(doubles), expected.at("double"));
    EXPECT_EQ(exact_mean(doubles), expected.at("exact"));
  }
}

TEST(MeansTest, ExactMeanIsRoundedOnce) {
  const auto means = golden("exact_means");
  ASSERT_FALSE(means.empty());
  for (const auto& expected : means)
    EXPECT_EQ(exact_mean(expected.at("numbers").get<std::vector<double>>()), expected.at("mean")) << expected.dump();
}

}  // namespace

}  // namespace gloss
