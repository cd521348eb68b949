#include <algorithm>

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/files/safetensors.h"
#include "common/system/stop.h"
#include "tests/training/trainer_test.h"
#include "training/checkpoint.h"
#include "training/kept_weights.h"

namespace gloss {
namespace {

using Weights = std::map<std::string, at::Tensor>;

/// Runs with and without an EMA of the weights.
class EmaTest : public TrainerTest {
 protected:
  static constexpr double kDecay = 0.6;

  Trainer::Options with_ema(double decay = kDecay) {
    auto options = toy_.options();
    options.config.max_steps = 6;
    options.config.validate_every = 1;
    options.config.ema_decay = decay;
    options.checkpoints = toy_.checkpoints() / (decay > 0 ? "ema" : "raw");
    return options;
  }

  // The weights during validations, by step.
  std::map<std::int64_t, Weights> validated(Trainer::Options options, const std::vector<double>& losses = {}) {
    std::map<std::int64_t, Weights> seen;
    options.validate = [&](EncoderDecoder& model, std::int64_t step) {
      seen[step] = weights_of(model);
      const auto number = static_cast<std::size_t>(step) - 1;
      return Validation{number < losses.size() ? losses[number] : 1.0, {}};
    };
    run(std::move(options));
    return seen;
  }

  // The EMA by its formula, from the weights of a run without EMA.
  std::map<std::int64_t, Weights> expected() {
    const auto raw = validated(with_ema(0));
    std::map<std::int64_t, Weights> means;
    Weights mean = weights_of(toy_.model());
    for (const auto& [step, weights] : raw) {
      const auto n = static_cast<double>(step);
      const double decay = std::min(kDecay, (1 + n) / (10 + n));
      for (auto& [name, value] : mean) value = decay * value + (1 - decay) * weights.at(name);
      means[step] = mean;
    }
    return means;
  }

  static void expect_near(const Weights& got, const Weights& expected) {
    ASSERT_EQ(got.size(), expected.size());
    for (const auto& [name, weight] : expected)
      EXPECT_LT((got.at(name) - weight).abs().max().item<double>(), 1e-6) << name;
  }
};

TEST_P(EmaTest, ValidationAndModelUseTheEmaAndTrainingDoesNot) {
  const auto means = expected();
  const auto raw = std::exchange(reports_, {});
  const auto raw_weights = weights_of(model_);
  const auto seen = validated(with_ema());
  ASSERT_EQ(seen.size(), 6U);
  for (const auto& [step, weights] : seen) {
    SCOPED_TRACE(step);
    expect_near(weights, means.at(step));
  }
  expect_near(weights_of(model_), means.at(6));
  ASSERT_EQ(reports_.size(), raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) EXPECT_EQ(reports_[i].loss, raw[i].loss);

  const auto file = SafetensorsFile::open(toy_.checkpoints() / "ema" / checkpoint_name(6));
  for (const auto& [name, weight] : raw_weights) {
    const auto first = [&](const std::string& tensor) {
      return *reinterpret_cast<const float*>(file.tensors().at(tensor).bytes.data());
    };
    EXPECT_EQ(first(name), *weight.const_data_ptr<float>()) << name;
    EXPECT_NEAR(first("ema." + name), *means.at(6).at(name).const_data_ptr<float>(), 1e-6) << name;
  }
}

TEST_P(EmaTest, BestIsTheEmaOfItsStep) {
  const auto means = expected();
  auto options = with_ema();
  options.config.early_stop = {EarlyStopMetric::kLoss, 2};
  validated(options, {5, 4, 4.5, 4.5});
  EXPECT_EQ(kept_steps_, Steps{2});
  expect_near(weights_of(model_), means.at(2));
}

TEST_P(EmaTest, AverageUsesTheEmaOfTheSaves) {
  const auto means = expected();
  auto options = with_ema();
  options.config.save_every = 2;
  options.config.average_last = 2;
  validated(options);
  EXPECT_EQ(kept_steps_, (Steps{4, 6}));
  Weights mean;
  for (const auto& [name, weight] : means.at(4)) mean[name] = (weight + means.at(6).at(name)) / 2;
  expect_near(weights_of(model_), mean);
}

TEST_P(EmaTest, WeightsAreRestoredAfterAnyEndOfAValidation) {
  TrainingConfig config;
  config.ema_decay = kDecay;
  const auto model = toy_.model();
  Adam adam(named_parameters(model), config);
  for (const auto& slot : adam.slots()) slot.ema.fill_(7);
  const auto before = weights_of(model);
  try {
    const EmaWeights in_place(adam);
    for (const auto& [name, weight] : weights_of(model)) EXPECT_TRUE(weight.eq(7).all().item<bool>()) << name;
    throw Stopped(ExitCode::kInterrupted);
  } catch (const Stopped&) {
    for (const auto& [name, weight] : weights_of(model)) EXPECT_TRUE(weight.equal(before.at(name))) << name;
    for (const auto& slot : adam.slots()) EXPECT_TRUE(slot.ema.eq(7).all().item<bool>()) << slot.name;
  }
}

TEST_P(EmaTest, WithoutEmaNothingIsExchanged) {
  const auto model = toy_.model();
  const Adam adam(named_parameters(model), {});
  const EmaWeights in_place(adam);
  const auto fresh = weights_of(toy_.model());
  for (const auto& [name, weight] : weights_of(model)) EXPECT_TRUE(weight.equal(fresh.at(name))) << name;
}

INSTANTIATE_DEVICES(EmaTest);

}  // namespace
}  // namespace gloss
