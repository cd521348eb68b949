#include "training/adam.h"

#include <cmath>

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/device_test.h"
#include "tests/training/golden_tensor.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class AdamTest : public DeviceTest {
 protected:
  // The golden run's two parameters, "b" handed over before "a".
  std::vector<std::pair<std::string, at::Tensor>> parameters() const {
    const auto start = golden_.at("start");
    return {{"b", golden_tensor(start[1], device()).requires_grad_()},
            {"a", golden_tensor(start[0], device()).requires_grad_()}};
  }

  // Gradients of the first parameters handed over, as `parameters` orders them.
  void set_gradients(const std::vector<std::pair<std::string, at::Tensor>>& parameters, std::size_t update) const {
    for (const auto& [name, parameter] : parameters)
      parameter.mutable_grad() = golden_tensor(golden_.at("gradients")[update][name == "a" ? 0 : 1], device());
  }

  void expect_near(const at::Tensor& tensor, const Json& wanted, double tolerance) const {
    EXPECT_LT((tensor.detach().flatten() - golden_tensor(wanted, device())).abs().max().item<double>(), tolerance);
  }

  Json golden_ = read_golden("adam.json");
};

TEST_P(AdamTest, TenUpdatesEqualPyTorchs) {
  for (const Json& run : golden_.at("runs")) {
    TrainingConfig config;
    config.beta1 = run.at("beta1");
    config.beta2 = run.at("beta2");
    config.epsilon = run.at("epsilon");
    const auto named = parameters();
    Adam adam(named, config);
    for (std::size_t update = 0; update < 10; ++update) {
      set_gradients(named, update);
      adam.step(static_cast<std::int64_t>(update) + 1, golden_.at("rates")[update]);
      expect_near(named[1].second, run.at("after")[update][0], 1e-5);
      expect_near(named[0].second, run.at("after")[update][1], 1e-5);
    }
  }
}

TEST_P(AdamTest, ClippingEqualsPyTorchs) {
  for (const Json& wanted : golden_.at("clipping")) {
    const auto named = parameters();
    Adam adam(named, {});
    set_gradients(named, 0);
    EXPECT_NEAR(adam.scale_and_clip(wanted.at("factor"), wanted.at("clip_norm")), wanted.at("norm"), 1e-5);
    expect_near(named[1].second.grad(), wanted.at("clipped")[0], 1e-6);
    expect_near(named[0].second.grad(), wanted.at("clipped")[1], 1e-6);
  }
}

TEST_P(AdamTest, WithoutClipNormGradientsAreOnlyScaled) {
  const auto named = parameters();
  Adam adam(named, {});
  set_gradients(named, 0);
  const auto before = named[0].second.grad().clone();
  adam.scale_and_clip(100, 0);
  EXPECT_TRUE(named[0].second.grad().equal(before * 100));
}

TEST_P(AdamTest, NormOfBrokenGradientsIsNotFinite) {
  for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    const auto named = parameters();
    Adam adam(named, {});
    set_gradients(named, 0);
    named[0].second.grad()[3].fill_(value);
    EXPECT_FALSE(std::isfinite(adam.scale_and_clip(1, 1)));
  }
}

TEST_P(AdamTest, GradientsAreClearedByAStep) {
  const auto named = parameters();
  Adam adam(named, {});
  set_gradients(named, 0);
  adam.step(1, 0.1);
  for (const auto& [name, parameter] : named) EXPECT_FALSE(parameter.grad().defined());
}

TEST_P(AdamTest, ParameterWithoutGradientStays) {
  const auto named = parameters();
  Adam adam(named, {});
  named[0].second.mutable_grad() = at::ones_like(named[0].second);
  const auto before = named[1].second.detach().clone();
  adam.step(1, 0.1);
  EXPECT_TRUE(named[1].second.equal(before));
}

TEST_P(AdamTest, GradientInAnotherMemoryOrderGivesTheSame) {
  const auto plain = parameters(), turned = parameters();
  Adam plain_adam(plain, {}), turned_adam(turned, {});
  set_gradients(plain, 0);
  set_gradients(turned, 0);
  auto& gradient = turned[1].second.mutable_grad();
  gradient = gradient.t().contiguous().t();
  ASSERT_FALSE(gradient.is_contiguous());
  plain_adam.step(1, 0.1);
  turned_adam.step(1, 0.1);
  EXPECT_TRUE(plain[1].second.equal(turned[1].second));
}

TEST_P(AdamTest, SlotsAreInTheOrderOfTheNames) {
  const Adam adam(parameters(), {});
  ASSERT_EQ(adam.slots().size(), 2u);
  EXPECT_EQ(adam.slots()[0].name, "a");
  EXPECT_EQ(adam.slots()[1].name, "b");
}

TEST_P(AdamTest, RefusesATensorTwice) {
  const auto tensor = at::zeros({2}, device()).requires_grad_();
  EXPECT_THAT(
      [&] {
        Adam({{"generator.weight", tensor}, {"source_embedding.weight", tensor}}, {});
      },
      ThrowsMessage<ShapeError>(HasSubstr("generator.weight")));
}

INSTANTIATE_DEVICES(AdamTest);

}  // namespace
}  // namespace gloss
