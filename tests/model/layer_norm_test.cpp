#include "model/layer_norm.h"

#include <cmath>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/device_test.h"
#include "tests/support/formula_tensor.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class LayerNormTest : public DeviceTest {};

/// By LibTorch's operator, and by the equation.
constexpr auto kPasses = {Pass{}, Pass{.plain = true}};

TEST_P(LayerNormTest, WorkedExample) {
  LayerNorm norm(3);
  norm->to(device());
  const auto x = at::tensor({1., 2., 4., 2., 3., 4., 3., 4., 4., 4., 4., 4.}).to(device(), at::kFloat).view({2, 2, 3});
  for (const auto& pass : kPasses) {
    const auto y = norm(x, pass);
    EXPECT_THAT(y[0][0], AllClose(at::tensor({-1.0690, -0.2673, 1.3363}).to(device()), 5e-5));
    EXPECT_THAT(y[0][1], AllClose(at::tensor({-1.2247, 0.0, 1.2247}).to(device()), 5e-5));
    EXPECT_THAT(y[1][0], AllClose(at::tensor({-1.4142, 0.7071, 0.7071}).to(device()), 1e-4));  // epsilon shows
    EXPECT_THAT(y[1][1], AllClose(at::tensor({0.0, 0.0, 0.0}).to(device()), 0));               // no variance
  }
}

TEST_P(LayerNormTest, EpsilonStandsUnderTheRoot) {
  const double half = 0.001;  // variance 1e-6
  for (const double epsilon : {1e-5, 1e-6}) {
    LayerNorm norm(2, epsilon);
    norm->to(device());
    for (const auto& pass : kPasses) {
      const auto y = norm(at::tensor({1 - half, 1 + half}).to(device(), at::kFloat), pass);
      EXPECT_NEAR(y[1].item<double>(), half / std::sqrt(half * half + epsilon), 1e-4);
    }
  }
}

TEST_P(LayerNormTest, ScaleAndShiftOfTheInputAreForgottenWeightAndBiasApplied) {
  const auto x = formula_tensor({3, 8}, device());
  for (const auto& pass : kPasses) {
    LayerNorm norm(8);
    norm->to(device());
    const auto plain = norm(x, pass);
    EXPECT_THAT(norm(x * 7 + 3, pass), AllClose(plain, 1e-4));
    const at::NoGradGuard no_grad;
    const auto weight = formula_tensor({8}, device(), 1), bias = formula_tensor({8}, device(), 2);
    norm->named_parameters()["weight"].copy_(weight);
    norm->named_parameters()["bias"].copy_(bias);
    EXPECT_THAT(norm(x, pass), AllClose(plain * weight + bias, 1e-6));
  }
}

TEST_P(LayerNormTest, RejectsAnotherWidth) {
  LayerNorm norm(8);
  norm->to(device());
  EXPECT_THAT(
      [&] {
        norm(formula_tensor({2, 3, 9}, device()), Pass{});
      },
      ThrowsMessage<ShapeError>(HasSubstr("x: wanted [..., 8], got [2, 3, 9]")));
}

INSTANTIATE_DEVICES(LayerNormTest);

}  // namespace
}  // namespace gloss
