#include "evaluation/statistics/means.h"

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace gloss {
namespace {

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
