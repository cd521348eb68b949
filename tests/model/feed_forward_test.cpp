#include "model/feed_forward.h"

#include <cmath>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "model/make_model.h"
#include "model/weights.h"
#include "tests/support/device_test.h"
#include "tests/support/formula_tensor.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

class FeedForwardTest : public DeviceTest {
 protected:
  static FeedForward make(Activation activation, double dropout = 0) {
    ModelConfig config;
    config.d_model = 4;
    config.activation = activation;
    config.dropout = dropout;
    FeedForward part = make_feed_forward(config, 4);
    part->set_site("site");
    initialize(*part, RandomStream(1, "weights"));
    part->to(device());
    return part;
  }

  // The activation alone.
  static FeedForward make_identity(Activation activation) {
    auto part = make(activation);
    const at::NoGradGuard no_grad;
    for (auto& item : part->named_parameters()) {
      if (item.key().ends_with("weight")) item.value().copy_(at::eye(4));
    }
    return part;
  }
};

TEST_P(FeedForwardTest, IsTheSameAtEveryPosition) {
  auto part = make(Activation::kGelu);
  const auto x = formula_tensor({2, 3, 4}, device());
  const auto y = part(x, Pass{});
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t t = 0; t < 3; ++t) {
      EXPECT_THAT(part(x[b][t].view({1, 1, 4}), Pass{}).view(4), AllClose(y[b][t], 1e-6));
    }
  }
}

TEST_P(FeedForwardTest, ReluIsTheGreaterOfZeroAndX) {
  const auto x = at::tensor({-1.5F, -0.0F, 0.5F, 2.0F}).to(device()).view({1, 1, 4});
  EXPECT_THAT(make_identity(Activation::kRelu)(x, Pass{}), SameAs(x.clamp_min(0)));
}

TEST_P(FeedForwardTest, GeluIsExactNotItsTanhApproximation) {
  const auto x = at::tensor({-2.0F, -0.5F, 1.0F, 3.0F}).to(device()).view({1, 1, 4});
  const auto y = make_identity(Activation::kGelu)(x, Pass{}).to(at::kCPU).view(4);
  for (std::int64_t i = 0; i < 4; ++i) {
    const double value = x.view(4)[i].item<double>();
    EXPECT_NEAR(y[i].item<double>(), value * 0.5 * (1 + std::erf(value / std::sqrt(2.0))), 2e-6);
  }
}

TEST_P(FeedForwardTest, DropsInsideWhileTraining) {
  auto part = make_identity(Activation::kRelu);
  auto dropping = make(Activation::kRelu, 0.5);
  const at::NoGradGuard no_grad;
  for (auto& item : dropping->named_parameters()) item.value().copy_(part->named_parameters()[item.key()]);
  const RandomStream stream(1, "dropout");
  const auto x = at::full({8, 8, 4}, 1.0, device());
  const auto y = dropping(x, Pass{.training = true, .random = &stream});
  EXPECT_THAT((y.eq(0) | y.eq(2)).all().item<bool>(), true);
  EXPECT_NEAR(y.mean().item<double>(), 1, 0.3);
  EXPECT_THAT(dropping(x, Pass{}), SameAs(x));
}

TEST_P(FeedForwardTest, RejectsAnotherWidth) {
  EXPECT_THROW(make(Activation::kRelu)(formula_tensor({2, 3, 5}, device()), Pass{}), ShapeError);
}

INSTANTIATE_DEVICES(FeedForwardTest);

}  // namespace
}  // namespace gloss
