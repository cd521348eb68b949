#include "training/kept_weights.h"

#include <cmath>
#include <filesystem>

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/temporary_folder.h"
#include "tests/training/trainer_test.h"
#include "training/checkpoint.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class KeptWeightsTest : public TrainerTest {};

TEST_P(KeptWeightsTest, EarlyStoppingKeepsTheBestCheckpoint) {
  auto options = toy_.options();
  options.config.max_steps = 9;
  options.config.validate_every = 1;
  options.config.save_every = 4;
  options.config.keep_checkpoints = 1;
  options.config.early_stop = {EarlyStopMetric::kLoss, 3};
  EXPECT_EQ(run_validated(options, {{5, {}}, {4, {}}, {3, {}}, {4, {}}, {4, {}}, {4, {}}}), TrainingEnd::kEarlyStop);
  EXPECT_EQ(kept_steps_, Steps{3});
  EXPECT_THAT(toy_.saved(), ElementsAre("best.safetensors", "step-00000003.safetensors", "step-00000006.safetensors"));
  const auto best = weights_of(model_);
  options.checkpoints = toy_.checkpoints() / "again";
  options.config.early_stop = {};
  options.config.max_steps = 3;
  run(options);
  for (const auto& [name, weight] : weights_of(model_)) EXPECT_TRUE(weight.equal(best.at(name))) << name;
}

TEST_P(KeptWeightsTest, WithoutEarlyStoppingTheModelHasTheLastWeights) {
  auto options = toy_.options();
  options.config.max_steps = 5;
  options.config.validate_every = 1;
  options.config.keep_checkpoints = 1;
  run_validated(options, {{5, 1}, {4, 3}, {3, 2}, {2, 2}, {1, 2}});
  EXPECT_EQ(kept_steps_, Steps{5});
  EXPECT_THAT(toy_.saved(), ElementsAre("best.safetensors", "step-00000002.safetensors", "step-00000005.safetensors"));
}

TEST_P(KeptWeightsTest, WithoutABestTheLastAreKeptSilently) {
  auto options = toy_.options();
  options.config.max_steps = 2;
  options.config.validate_every = 1;
  options.config.early_stop = {EarlyStopMetric::kLoss, 9};
  testing::internal::CaptureStderr();
  run_validated(options, {{std::nan(""), {}}, {std::nan(""), {}}});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(kept_steps_, Steps{2});
}

TEST_P(KeptWeightsTest, UnreadableBestIsReportedAndTheLastKept) {
  auto options = toy_.options();
  options.config.max_steps = 3;
  options.config.validate_every = 1;
  options.config.early_stop.patience = 9;
  options.validate = [&](EncoderDecoder&, std::int64_t step) {
    if (step == 3) std::filesystem::resize_file(toy_.checkpoints() / "step-00000001.safetensors", 50);
    return Validation{1, step == 1 ? 20 : 10};
  };
  testing::internal::CaptureStderr();
  run(options);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("the last weights are kept instead of the best"));
  EXPECT_EQ(kept_steps_, Steps{3});
}

TEST_P(KeptWeightsTest, MissingBestIsReportedAndTheLastKept) {
  auto options = toy_.options();
  options.config.max_steps = 3;
  options.config.validate_every = 1;
  options.config.early_stop.patience = 9;
  options.config.early_stop.metric = EarlyStopMetric::kLoss;
  options.validate = [&](EncoderDecoder&, std::int64_t step) {
    if (step == 3) std::filesystem::remove(toy_.checkpoints() / "step-00000001.safetensors");
    return Validation{step == 1 ? 1.0 : 2.0, {}};
  };
  testing::internal::CaptureStderr();
  run(options);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("is not there any more; the last weights are kept"));
  EXPECT_EQ(kept_steps_, Steps{3});
}

TEST_P(KeptWeightsTest, AverageIsTheMeanOfTheLastSaves) {
  auto options = toy_.options();
  options.config.max_steps = 7;
  options.config.save_every = 2;
  options.config.keep_checkpoints = 1;
  options.config.average_last = 3;
  run(options);
  EXPECT_THAT(toy_.saved(),
              ElementsAre("step-00000004.safetensors", "step-00000006.safetensors", "step-00000007.safetensors"));
  std::map<std::string, at::Tensor> sums;
  for (const std::string& name : toy_.saved()) {
    const auto file = SafetensorsFile::open(toy_.checkpoints() / name);
    for (const auto& [weight, fresh] : weights_of(model_)) {
      const auto bytes = file.tensors().at(weight).bytes;
      ASSERT_EQ(bytes.size(), 4 * static_cast<std::size_t>(fresh.numel()));
      auto& sum = sums.try_emplace(weight, at::zeros_like(fresh, at::kDouble)).first->second;
      for (std::int64_t i = 0; i < fresh.numel(); ++i)
        sum.mutable_data_ptr<double>()[i] += reinterpret_cast<const float*>(bytes.data())[i];
    }
  }
  for (const auto& [name, weight] : weights_of(model_))
    EXPECT_TRUE(weight.equal((sums.at(name) / 3.0).to(at::kFloat))) << name;
}

TEST_P(KeptWeightsTest, DamagedFileIsSkippedInTheAverage) {
  auto options = toy_.options();
  options.config.max_steps = 4;
  options.config.save_every = 2;
  options.config.average_last = 2;
  options.config.validate_every = 3;
  options.validate = [&](EncoderDecoder&, std::int64_t) {
    std::filesystem::resize_file(toy_.checkpoints() / "step-00000002.safetensors", 50);
    return Validation{};
  };
  testing::internal::CaptureStderr();
  run(options);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("skipped in the average"));
  const auto saved = SafetensorsFile::open(toy_.checkpoints() / "step-00000004.safetensors");
  for (const auto& [name, weight] : weights_of(model_))
    EXPECT_EQ(*weight.const_data_ptr<float>(), *reinterpret_cast<const float*>(saved.tensors().at(name).bytes.data()));
}

INSTANTIATE_DEVICES(KeptWeightsTest);

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
