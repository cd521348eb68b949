#include "training/kept_weights.h"

#include <cmath>
#include <filesystem>

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace gloss
