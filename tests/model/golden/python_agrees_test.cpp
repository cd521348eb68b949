#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/padding.h"
#include "model/storage/model_file.h"
#include "tests/support/device_test.h"
#include "tests/support/golden.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

using Rows = std::vector<std::vector<std::int32_t>>;

/// A model file as gloss and as tests/golden/load_model.py read it.
class PythonAgreesTest : public DeviceTest {
 protected:
  /// `scored` is what load_model.py wrote for the model file. Compares whole distributions, the pairs in batches.
  static void expect_same_log_probabilities(const std::filesystem::path& model_file, const Golden& scored,
                                            double tolerance) {
    const at::NoGradGuard no_grad;
    auto model = read_model_file(model_file, device()).model;
    auto generator = model->generator();
    double largest = 0;
    for (std::size_t first = 0; scored.has("source." + std::to_string(first)); first += kBatch) {
      Rows sources, targets;
      for (auto i = first; i < first + kBatch && scored.has("source." + std::to_string(i)); ++i) {
        sources.push_back(scored.ids("source." + std::to_string(i)));
        targets.push_back(scored.ids("target." + std::to_string(i)));
      }
      const auto rows = generator(model(pad(sources, device()), shift_target(targets, device()).input, Pass{}));
      for (std::size_t b = 0; b < targets.size(); ++b) {
        const auto wanted = scored.tensor("log_probabilities." + std::to_string(first + b), device());  // [T, V]
        const auto got = rows[static_cast<std::int64_t>(b)].narrow(0, 0, static_cast<std::int64_t>(targets[b].size()));
        EXPECT_THAT(got, AllClose(wanted, tolerance)) << "pair " << first + b;
        largest = std::max(largest, (got - wanted).abs().max().item<double>());
      }
    }
    std::cout << "largest difference " << largest << "\n";
  }

  static constexpr std::size_t kBatch = 16;  // pairs
};

// Both files were written by tests/golden/write_tiny_model.py.
TEST_P(PythonAgreesTest, OnAModelFileWrittenInPython) {
  const Golden scored("tiny_model_scored.safetensors");
  ASSERT_TRUE(scored.has("source.3"));
  expect_same_log_probabilities(golden_path("tiny_model.safetensors"), scored, 1e-5);
}

TEST_P(PythonAgreesTest, OnTheUsersModelFile) {
  const char *model_file = std::getenv("GLOSS_MODEL_FILE"), *scored = std::getenv("GLOSS_SCORED_FILE");
  if (model_file == nullptr || scored == nullptr) {
    GTEST_SKIP() << "set GLOSS_MODEL_FILE to a model file and GLOSS_SCORED_FILE to what tests/golden/load_model.py "
                    "MODEL SOURCE TARGET OUTPUT made of it";
  }
  const Golden golden(std::filesystem::absolute(scored));
  ASSERT_TRUE(golden.has("source.0"));
  expect_same_log_probabilities(model_file, golden, 1e-4);
}

INSTANTIATE_DEVICES(PythonAgreesTest);

}  // namespace
}  // namespace gloss
