#include "training/flat_adam.h"

#include <cmath>
#include <vector>

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "tests/support/device_test.h"
#include "training/adam.h"

namespace gloss {
namespace {

using Named = std::vector<std::pair<std::string, at::Tensor>>;

// On a GPU there are no flat buffers: both paths are the same.
class FlatAdamTest : public DeviceTest {
 protected:
  // Odd sizes, one of them longer than a chunk of the flat buffers.
  Named parameters() const {
    Named named;
    for (const std::vector<std::int64_t>& shape :
         {std::vector<std::int64_t>{1}, {3, 5}, {17}, {4, 31, 2}, {333, 301}, {7}}) {
      const auto name = std::to_string(named.size());
      named.emplace_back(name, values(shape, 0.1 * static_cast<double>(named.size())));
    }
    for (auto& [name, parameter] : named) parameter.requires_grad_();
    return named;
  }

  at::Tensor values(at::IntArrayRef shape, double phase) const {
    return at::arange(c10::multiply_integers(shape), at::kFloat).mul(0.37).add(phase).sin().view(shape).to(device());
  }

  static double norm_on(int threads, const Named& named) {
    const int before = at::get_num_threads();
    at::set_num_threads(threads);
    Adam adam(named, {});
    for (const auto& [name, parameter] : named) parameter.mutable_grad() = parameter.detach() * 1.7;
    const double norm = adam.gradient_norm().item<double>();
    at::set_num_threads(before);
    return norm;
  }
};

TEST_P(FlatAdamTest, EqualsThePlainPathInOddShapes) {
  TrainingConfig config;
  config.ema_decay = 0.9;
  const auto flat = parameters(), plain = parameters();
  Adam flat_adam(flat, config), plain_adam(plain, config, Adam::Path::kPlain);
  for (std::int64_t step = 1; step <= 6; ++step) {
    for (std::size_t i = 0; i < flat.size(); ++i)
      for (const auto* named : {&flat, &plain}) {
        const auto& parameter = (*named)[i].second;
        parameter.mutable_grad() = values(parameter.sizes(), static_cast<double>(step)) * std::pow(10, -(step % 4));
      }
    EXPECT_NEAR(flat_adam.gradient_norm().item<double>() / plain_adam.gradient_norm().item<double>(), 1, 1e-6);
    const Adam::Update update{.step = step, .learning_rate = 0.01, .gradient_factor = 0.5};
    flat_adam.step(update);
    plain_adam.step(update);
  }
  for (std::size_t i = 0; i < flat.size(); ++i) {
    const auto &a = flat_adam.slots()[i], &b = plain_adam.slots()[i];
    EXPECT_TRUE(a.parameter.allclose(b.parameter, 1e-6, 1e-7)) << a.name;
    EXPECT_TRUE(a.m.allclose(b.m, 2e-6, 1e-9)) << a.name;
    EXPECT_TRUE(a.v.allclose(b.v, 2e-6, 1e-12)) << a.name;
    EXPECT_TRUE(a.ema.allclose(b.ema, 1e-6, 1e-7)) << a.name;
    EXPECT_FALSE(a.parameter.allclose(parameters()[i].second, 1e-3, 1e-3)) << a.name;
  }
}

TEST_P(FlatAdamTest, AutogradAddsInPlace) {
  const auto named = parameters();
  Adam adam(named, {});
  if (!device().is_cpu()) GTEST_SKIP() << "gradients are flat on the CPU only";
  for (int update = 1; update <= 2; ++update) {
    std::vector<const void*> places;
    for (const auto& [name, parameter] : named) {
      ASSERT_TRUE(parameter.grad().defined() && parameter.grad().is_contiguous()) << name;
      EXPECT_EQ(parameter.grad().sizes(), parameter.sizes());
      EXPECT_TRUE(parameter.grad().eq(0).all().item<bool>()) << name;
      places.push_back(parameter.grad().const_data_ptr());
    }
    for (int micro_batch = 0; micro_batch < 2; ++micro_batch) {
      auto loss = at::zeros({});
      for (const auto& [name, parameter] : named) loss = loss + (parameter * 3).sum();
      loss.backward();
    }
    for (std::size_t i = 0; i < named.size(); ++i) {
      const auto& gradient = named[i].second.grad();
      EXPECT_EQ(gradient.const_data_ptr(), places[i]) << named[i].first;
      EXPECT_TRUE(gradient.eq(6).all().item<bool>()) << named[i].first;
    }
    adam.step({.step = update, .learning_rate = 0.1});
  }
}

TEST_P(FlatAdamTest, ReplacedOrRemovedGradientIsUsed) {
  const auto named = parameters(), plain = parameters();
  Adam adam(named, {}), plain_adam(plain, {}, Adam::Path::kPlain);
  for (const auto& parameters : {named, plain}) {
    if (auto& gradient = parameters[1].second.mutable_grad(); gradient.defined()) gradient.fill_(5);  // in place
    for (const auto& [name, parameter] : parameters) parameter.mutable_grad() = at::ones_like(parameter);
    parameters[1].second.mutable_grad().reset();
  }
  EXPECT_NEAR(adam.gradient_norm().item<double>() / plain_adam.gradient_norm().item<double>(), 1, 1e-6);
  named[2].second.mutable_grad() = at::full_like(named[2].second, 2);  // after the norm
  plain[2].second.mutable_grad() = at::full_like(plain[2].second, 2);
  adam.step({.learning_rate = 0.1});
  plain_adam.step({.learning_rate = 0.1});
  for (std::size_t i = 0; i < named.size(); ++i)
    EXPECT_TRUE(named[i].second.allclose(plain[i].second, 1e-6, 1e-7)) << named[i].first;
}

TEST_P(FlatAdamTest, NormDoesNotDependOnThreads) {
  const double one = norm_on(1, parameters());
  EXPECT_EQ(norm_on(2, parameters()), one);
  EXPECT_EQ(norm_on(3, parameters()), one);
}

INSTANTIATE_DEVICES(FlatAdamTest);

}  // namespace
}  // namespace gloss
