#include "training/average.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::ThrowsMessage;

class AverageTest : public testing::Test {
 protected:
  SafetensorsFile file(const std::map<std::string, std::vector<float>>& tensors) {
    std::map<std::string, TensorView> views;
    for (const auto& [name, values] : tensors)
      views[name] = {Dtype::kF32, {static_cast<std::int64_t>(values.size())}, std::as_bytes(std::span(values))};
    const std::string text = "tokenizer";
    views["tokenizer.model"] = {Dtype::kU8, {9}, std::as_bytes(std::span(text))};
    const auto path = folder_ / (std::to_string(++files_) + ".safetensors");
    write_safetensors(path, views, {});
    return SafetensorsFile::open(path);
  }

  static std::vector<float> values(const at::Tensor& tensor) {
    return {tensor.const_data_ptr<float>(), tensor.const_data_ptr<float>() + tensor.numel()};
  }

  TemporaryFolder folder_;
  int files_ = 0;
};

TEST_F(AverageTest, AveragesWeightsOnly) {
  WeightAverage average;
  average.add(file({{"a", {1, -2}}, {"b", {0.5f}}, {"adam.m.a", {7, 7}}, {"adam.v.a", {7, 7}}}));
  average.add(file({{"a", {2, 4}}, {"b", {1.5f}}}));
  average.add(file({{"a", {6, 1}}, {"b", {4}}}));
  EXPECT_EQ(average.files(), 3);
  const auto mean = average.mean();
  EXPECT_THAT(mean, ElementsAre(Key("a"), Key("b")));
  EXPECT_THAT(values(mean.at("a")), ElementsAre(3, 1));
  EXPECT_THAT(values(mean.at("b")), ElementsAre(2));
}

TEST_F(AverageTest, EmaReplacesItsWeight) {
  WeightAverage average;
  average.add(file({{"a", {1}}, {"b", {2}}, {"ema.a", {3}}}));  // b is frozen
  average.add(file({{"a", {5}}, {"b", {2}}}));                  // a run without EMA
  const auto mean = average.mean();
  EXPECT_THAT(mean, ElementsAre(Key("a"), Key("b")));
  EXPECT_THAT(values(mean.at("a")), ElementsAre(4));
  EXPECT_THAT(values(mean.at("b")), ElementsAre(2));
}

TEST_F(AverageTest, SumsAreDouble) {
  WeightAverage average;
  for (const float value : {1e8f, 1.f, 1.f, 1.f, -1e8f, 1.f, 1.f, 1.f}) average.add(file({{"a", {value}}}));
  EXPECT_THAT(values(average.mean().at("a")), ElementsAre(0.75f));
}

TEST_F(AverageTest, MeanOfOneFileIsTheFile) {
  WeightAverage average;
  average.add(file({{"a", {0.1f, 1e-30f, 3e38f}}}));
  EXPECT_THAT(values(average.mean().at("a")), ElementsAre(0.1f, 1e-30f, 3e38f));
}

TEST_F(AverageTest, RefusesMismatchedFiles) {
  const auto added = [&](const std::map<std::string, std::vector<float>>& second) {
    WeightAverage average;
    average.add(file({{"a", {1, 2}}, {"b", {1}}}));
    average.add(file(second));
  };
  EXPECT_THAT([&] { added({{"a", {1, 2}}}); }, ThrowsMessage<ModelError>(HasSubstr("no weight b")));
  EXPECT_THAT(
      [&] {
        added({{"a", {1, 2}}, {"b", {1}}, {"c", {1}}});
      },
      ThrowsMessage<ModelError>(HasSubstr("weight c")));
  EXPECT_THAT(
      [&] {
        added({{"a", {1, 2}}, {"b", {1, 2}}});
      },
      ThrowsMessage<ModelError>(HasSubstr("b is of another shape")));
  EXPECT_THROW(WeightAverage().mean(), ModelError);
}

}  // namespace
}  // namespace gloss
