#include "translation/models/input_scales.h"

#include <string>
#include <vector>

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "model/weights.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TranslationModel tiny_model() {
  return load_translation_model(GLOSS_GOLDEN_FOLDER "/tiny_model.safetensors", at::kCPU);
}

TEST(InputScalesTest, EachMatrixOfAProductHasOne) {
  const auto model = tiny_model();
  const std::vector<std::string> lines{"a b c", "", "c b"};
  const auto scales = measured_input_scales(model, lines);
  const auto output = stored_name(kGeneratorMatrix, model.config.model.tie_embeddings);
  for (const auto& [name, info] : network_weights(model.config.model, model.file.vocabularies))
    EXPECT_EQ(scales.contains(name), info.kind == WeightKind::kMatrix || name == output) << name;
  for (const auto& side : {"self_attention", "cross_attention"}) {
    const auto at = [&](const char* part) { return scales.at(std::string("decoder.layers.0.") + side + part); };
    EXPECT_EQ(at(".key.weight"), at(".value.weight")) << "they have the same input";
  }
}

TEST(InputScalesTest, AScaleIsTheMeanOfTheLinesLargestInputsAndADeviation) {
  const auto model = tiny_model();
  const std::string name = "encoder.layers.0.feed_forward.outer.weight";
  const auto alone = [&](const std::string& line) {
    return static_cast<double>(measured_input_scales(model, std::vector{line}).at(name));
  };
  const auto first = alone("a b c"), second = alone("b");
  ASSERT_NE(first, second);
  const std::vector<std::string> both{"a b c", "b"};
  const auto mean = (first + second) / 2, deviation = std::abs(first - second) / 2;
  EXPECT_NEAR(measured_input_scales(model, both).at(name), mean + 1.1 * deviation, 1e-6 * mean);
}

TEST(InputScalesTest, LinesWithoutTextAreRefused) {
  EXPECT_THAT(
      [] {
        measured_input_scales(tiny_model(), std::vector<std::string>{"", ""});
      },
      ThrowsMessage<UsageError>(HasSubstr("--calibrate: wanted lines that the model translates, got none")));
}

}  // namespace
}  // namespace gloss
