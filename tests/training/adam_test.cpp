#include "training/adam.h"

#include <array>
#include <cmath>

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/device_test.h"
#include "tests/support/tensor_matchers.h"
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

  // The gradients of "a" and "b".
  Gradients gradients(std::size_t update) const {
    const auto& both = golden_.at("gradients")[update];
    return {golden_tensor(both[0], device()), golden_tensor(both[1], device())};
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
        adam.set_gradients(gradients(update));
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
      const auto both = gradients(0);
      const double factor = expected.at("factor"), norm = factor * adam.set_gradients(both).item<double>();
      EXPECT_NEAR(norm, expected.at("norm"), 1e-5);
      const double clipped = factor * clip_factor(norm, expected.at("clip_norm"));
      for (std::size_t i = 0; i < 2; ++i) expect_near(both[i] * clipped, expected.at("clipped")[i], 1e-6);
    }
  }
}

TEST_P(AdamTest, WithoutClipNormGradientsAreNotShrunk) { EXPECT_EQ(clip_factor(1e9, 0), 1); }

TEST_P(AdamTest, GradientFactorScalesTheGradients) {
  for (const auto path : kPaths) {
    const auto scaled = parameters(), plain = parameters();
    Adam scaled_adam(scaled, {}, path), plain_adam(plain, {}, path);
    for (std::size_t update = 0; update < 2; ++update) {
      scaled_adam.set_gradients(gradients(update));
      auto quarters = gradients(update);
      for (auto& gradient : quarters) gradient = gradient * 0.25;
      plain_adam.set_gradients(quarters);
      const auto step = static_cast<std::int64_t>(update) + 1;
      scaled_adam.step({.step = step, .learning_rate = 0.1, .gradient_factor = 0.25});
      plain_adam.step({.step = step, .learning_rate = 0.1});
    }
    for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(scaled[i].second.equal(plain[i].second));
  }
}

TEST_P(AdamTest, ParametersMayShareAGradient) {
  for (const auto path : kPaths) {
    const auto shared = parameters(), apart = parameters();
    for (const auto& named : {shared, apart}) {
      Adam adam({{"a", named[0].second}, {"c", named[0].second.detach().clone().requires_grad_()}}, {}, path);
      const auto gradient = gradients(0)[1];
      adam.set_gradients({gradient, &named == &shared ? gradient : gradient.clone()});
      adam.step({.learning_rate = 1, .gradient_factor = 0.01});
    }
    EXPECT_THAT(shared[0].second.detach(), SameAs(apart[0].second.detach()));
  }
}

TEST_P(AdamTest, DeviceScalesAndSkips) {
  if (device().is_cpu()) GTEST_SKIP() << "the host decides";
  const auto scalar = [](double value) { return at::full({}, value, at::device(device()).dtype(at::kFloat)); };
  TrainingConfig config;
  config.ema_decay = 0.9;
  const auto by_host = parameters(), by_device = parameters();
  Adam host(by_host, config), there(by_device, config);
  ASSERT_TRUE(there.decides_on_device());
  for (std::int64_t step = 1; step <= 3; ++step) {
    host.set_gradients(gradients(0));
    host.step({.step = step, .learning_rate = 0.1, .gradient_factor = 0.5});
    for (const double skip : {1.0, 0.0}) {
      there.set_gradients(gradients(0));
      there.step({.step = step,
                  .learning_rate = 0.1,
                  .factor_on_device = scalar(0.5).to(at::kDouble),
                  .skip_on_device = scalar(skip)});
    }
  }
  for (std::size_t slot = 0; slot < 2; ++slot) {
    EXPECT_THAT(there.slots()[slot].parameter.detach(), SameAs(host.slots()[slot].parameter.detach()));
    EXPECT_THAT(there.slots()[slot].v, SameAs(host.slots()[slot].v));
    EXPECT_THAT(there.slots()[slot].ema, SameAs(host.slots()[slot].ema));
  }
  for (const double norm : {0.0, 0.5, 4.0})
    EXPECT_NEAR(clip_factor(scalar(norm), 1).item<double>(), clip_factor(norm, 1), 1e-6);
  EXPECT_EQ(clip_factor(scalar(1e9), 0).item<double>(), 1);
}

TEST_P(AdamTest, NormOfBrokenGradientsIsNotFinite) {
  for (const auto path : kPaths) {
    for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL, 1e30}) {  // the square of the last overflows float
      const auto named = parameters();
      Adam adam(named, {}, path);
      const auto both = gradients(0);
      both[1][3].fill_(value);
      EXPECT_FALSE(std::isfinite(adam.set_gradients(both).item<double>())) << value;
    }
  }
}

TEST_P(AdamTest, StepClearsTheGradients) {
  for (const auto path : kPaths) {
    const auto named = parameters();
    Adam adam(named, {}, path);
    adam.set_gradients(gradients(0));
    adam.step({.learning_rate = 0.1});
    const auto after = named[0].second.detach().clone(), m = adam.slots()[1].m.clone();
    adam.step({.learning_rate = 0.1});
    EXPECT_TRUE(named[0].second.equal(after) && adam.slots()[1].m.equal(m)) << "the gradient was used twice";
    adam.set_gradients(gradients(0));
    adam.clear_gradients();
    adam.step({.learning_rate = 0.1});
    EXPECT_TRUE(named[0].second.equal(after));
  }
}

TEST_P(AdamTest, ParameterWithoutGradientIsUnchangedDespiteItsMomentum) {
  for (const auto path : kPaths) {
    const auto named = parameters();
    Adam adam(named, {}, path);
    adam.set_gradients(gradients(0));
    adam.step({.step = 1, .learning_rate = 0.1});
    const auto before = named[1].second.detach().clone(), m = adam.slots()[0].m.clone();
    const auto other = named[0].second.detach().clone();
    adam.set_gradients({at::Tensor(), at::ones_like(other)});
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
    plain_adam.set_gradients(gradients(0));
    auto both = gradients(0);
    both[0] = both[0].t().contiguous().t();
    ASSERT_FALSE(both[0].is_contiguous());
    turned_adam.set_gradients(both);
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
      // The last update has no gradient, and the EMA still approaches the weights.
      if (step < 5) adam.set_gradients(gradients(0));
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
    EXPECT_FALSE(adam.slots()[1].is_trained);
    EXPECT_FALSE(adam.slots()[1].ema.defined());
    EXPECT_TRUE(adam.slots()[0].is_trained);
    ASSERT_EQ(adam.trained().size(), 1U);
    EXPECT_TRUE(adam.trained().front().is_same(named[1].second));
    adam.set_gradients({at::ones_like(named[1].second)});
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
