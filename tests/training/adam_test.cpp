#include "training/adam.h"

#include <array>
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

constexpr std::array kPaths = {Adam::Path::kFastest, Adam::Path::kPlain};

class AdamTest : public DeviceTest {
 protected:
  // The golden run's two parameters, passed as "b", then "a".
  std::vector<std::pair<std::string, at::Tensor>> parameters() const {
    const auto start = golden_.at("start");
    return {{"b", golden_tensor(start[1], device()).requires_grad_()},
            {"a", golden_tensor(start[0], device()).requires_grad_()}};
  }

  // Gradients of the parameters, in the order of `parameters`.
  void set_gradients(const std::vector<std::pair<std::string, at::Tensor>>& parameters, std::size_t update) const {
    for (const auto& [name, parameter] : parameters)
      parameter.mutable_grad() = golden_tensor(golden_.at("gradients")[update][name == "a" ? 0 : 1], device());
  }

  void expect_near(const at::Tensor& tensor, const Json& expected, double tolerance) const {
    EXPECT_LT((tensor.detach().flatten() - golden_tensor(expected, device())).abs().max().item<double>(), tolerance);
  }

  Json golden_ = read_golden("adam.json");
};

TEST_P(AdamTest, TenUpdatesEqualPyTorch) {
  for (const auto path : kPaths) {
    for (const Json& run : golden_.at("runs")) {
      TrainingConfig config;
      config.beta1 = run.at("beta1");
      config.beta2 = run.at("beta2");
      config.epsilon = run.at("epsilon");
      const auto named = parameters();
      Adam adam(named, config, path);
      for (std::size_t update = 0; update < 10; ++update) {
        set_gradients(named, update);
        adam.step({.step = static_cast<std::int64_t>(update) + 1, .learning_rate = golden_.at("rates")[update]});
        expect_near(named[1].second, run.at("after")[update][0], 1e-5);
        expect_near(named[0].second, run.at("after")[update][1], 1e-5);
      }
    }
  }
}

TEST_P(AdamTest, ClippingEqualsPyTorch) {
  for (const auto path : kPaths) {
    for (const Json& expected : golden_.at("clipping")) {
      const auto named = parameters();
      Adam adam(named, {}, path);
      set_gradients(named, 0);
      const double factor = expected.at("factor"), norm = factor * adam.gradient_norm().item<double>();
      EXPECT_NEAR(norm, expected.at("norm"), 1e-5);
      const double clipped = factor * clip_factor(norm, expected.at("clip_norm"));
      expect_near(named[1].second.grad() * clipped, expected.at("clipped")[0], 1e-6);
      expect_near(named[0].second.grad() * clipped, expected.at("clipped")[1], 1e-6);
    }
  }
}

TEST_P(AdamTest, WithoutClipNormGradientsAreNotShrunk) { EXPECT_EQ(clip_factor(1e9, 0), 1); }

TEST_P(AdamTest, GradientFactorScalesTheGradients) {
  for (const auto path : kPaths) {
    const auto scaled = parameters(), plain = parameters();
    Adam scaled_adam(scaled, {}, path), plain_adam(plain, {}, path);
    for (std::size_t update = 0; update < 2; ++update) {
      set_gradients(scaled, update);
      set_gradients(plain, update);
      for (const auto& [name, parameter] : plain) parameter.mutable_grad().mul_(0.25);
      const auto step = static_cast<std::int64_t>(update) + 1;
      scaled_adam.step({.step = step, .learning_rate = 0.1, .gradient_factor = 0.25});
      plain_adam.step({.step = step, .learning_rate = 0.1});
    }
    for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(scaled[i].second.equal(plain[i].second));
  }
}

TEST_P(AdamTest, NormOfBrokenGradientsIsNotFinite) {
  for (const auto path : kPaths) {
    for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL, 1e30}) {  // the square of the last overflows float
      const auto named = parameters();
      Adam adam(named, {}, path);
      set_gradients(named, 0);
      named[0].second.grad()[3].fill_(value);
      EXPECT_FALSE(std::isfinite(adam.gradient_norm().item<double>())) << value;
    }
  }
}

TEST_P(AdamTest, StepClearsTheGradients) {
  for (const auto path : kPaths) {
    const auto named = parameters();
    Adam adam(named, {}, path);
    set_gradients(named, 0);
    adam.step({.learning_rate = 0.1});
    for (const auto& [name, parameter] : named)
      EXPECT_TRUE(!parameter.grad().defined() || parameter.grad().eq(0).all().item<bool>());
    EXPECT_EQ(adam.gradient_norm().item<double>(), 0);
  }
}

TEST_P(AdamTest, ParameterWithoutGradientIsUnchangedDespiteItsMomentum) {
  for (const auto path : kPaths) {
    const auto named = parameters();
    Adam adam(named, {}, path);
    set_gradients(named, 0);
    adam.step({.step = 1, .learning_rate = 0.1});
    const auto before = named[1].second.detach().clone(), m = adam.slots()[0].m.clone();
    const auto other = named[0].second.detach().clone();
    named[0].second.mutable_grad() = at::ones_like(named[0].second);
    adam.step({.step = 2, .learning_rate = 0.1});
    EXPECT_TRUE(named[1].second.equal(before));
    EXPECT_TRUE(adam.slots()[0].m.equal(m));
    EXPECT_FALSE(named[0].second.equal(other));
  }
}

TEST_P(AdamTest, GradientInAnotherMemoryOrderGivesTheSame) {
  for (const auto path : kPaths) {
    const auto plain = parameters(), turned = parameters();
    Adam plain_adam(plain, {}, path), turned_adam(turned, {}, path);
    set_gradients(plain, 0);
    set_gradients(turned, 0);
    auto& gradient = turned[1].second.mutable_grad();
    gradient = gradient.t().contiguous().t();
    ASSERT_FALSE(gradient.is_contiguous());
    plain_adam.step({.learning_rate = 0.1});
    turned_adam.step({.learning_rate = 0.1});
    EXPECT_TRUE(plain[1].second.equal(turned[1].second));
  }
}

TEST_P(AdamTest, EmaFollowsTheWeightsWithAWarmUp) {
  TrainingConfig config;
  config.ema_decay = 0.3;  // below (1 + step) / (10 + step) from the third step on
  for (const auto path : kPaths) {
    const auto named = parameters();
    Adam adam(named, config, path);
    auto expected = named[1].second.detach().to(at::kDouble);
    for (std::int64_t step = 1; step <= 5; ++step) {
      if (step < 5)
        set_gradients(named, 0);  // the last update has no gradient, and the EMA still approaches the
                                  // weights
      adam.step({.step = step, .learning_rate = 0.1});
      const double decay = std::vector{2 / 11.0, 3 / 12.0, 0.3, 0.3, 0.3}.at(static_cast<std::size_t>(step) - 1);
      expected = decay * expected + (1 - decay) * named[1].second.detach().to(at::kDouble);
      EXPECT_LT((adam.slots()[0].ema - expected).abs().max().item<double>(), 1e-6) << step;
    }
    EXPECT_GT((adam.slots()[0].ema - named[1].second.detach()).abs().max().item<double>(), 1e-3);
  }
  EXPECT_FALSE(Adam(parameters(), {}).slots()[0].ema.defined());
}

TEST_P(AdamTest, FrozenParametersHaveNoOptimizerState) {
  for (const auto path : kPaths) {
    const auto named = parameters();
    const auto frozen = named[0].second.requires_grad_(false);
    const auto before = frozen.clone();
    TrainingConfig config;
    config.ema_decay = 0.9;
    Adam adam(named, config, path);
    EXPECT_FALSE(adam.slots()[1].is_trained());
    EXPECT_FALSE(adam.slots()[1].ema.defined());
    EXPECT_FALSE(frozen.grad().defined());
    EXPECT_TRUE(adam.slots()[0].is_trained());
    named[1].second.mutable_grad() = at::ones_like(named[1].second);
    adam.step({.learning_rate = 0.1});
    EXPECT_TRUE(frozen.equal(before));
  }
}

TEST_P(AdamTest, SlotsAreInTheOrderOfTheNames) {
  const Adam adam(parameters(), {});
  ASSERT_EQ(adam.slots().size(), 2u);
  EXPECT_EQ(adam.slots()[0].name, "a");
  EXPECT_EQ(adam.slots()[1].name, "b");
}

TEST_P(AdamTest, RefusesARepeatedTensor) {
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
