#include "model/linear.h"

#include <utility>
#include <vector>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/linear.h>
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

class LinearTest : public DeviceTest {
 protected:
  LinearTest() { part_->to(device()); }

  Linear part_{3, 5};  // from 3 to 5
};

TEST_P(LinearTest, IsTheProductWithTheTransposedWeightAndTheBias) {
  const at::NoGradGuard no_grad;
  auto parameters = part_->named_parameters();
  const auto weight = formula_tensor({5, 3}, device(), 1), bias = formula_tensor({5}, device(), 2);
  parameters["weight"].copy_(weight);
  parameters["bias"].copy_(bias);
  const auto x = formula_tensor({2, 4, 3}, device());
  for (const bool plain : {false, true})
    EXPECT_THAT(part_(x, Pass{.plain = plain}), AllClose(at::linear(x, weight, bias), 1e-6)) << plain;
}

class InputProbe final : public Probe {
 public:
  void product(const at::Tensor& weight, const at::Tensor& x) override { seen.emplace_back(weight, x); }
  std::vector<std::pair<at::Tensor, at::Tensor>> seen;
};

TEST_P(LinearTest, AProbeSeesWeightAndInput) {
  InputProbe probe;
  const auto x = formula_tensor({2, 4, 3}, device());
  part_(x, Pass{.probe = &probe, .plain = true});
  ASSERT_EQ(probe.seen.size(), 1u);
  EXPECT_TRUE(probe.seen[0].first.is_same(part_->named_parameters()["weight"]));
  EXPECT_TRUE(probe.seen[0].second.is_same(x));
}

TEST_P(LinearTest, RejectsAnotherWidth) {
  EXPECT_THAT(
      [&] {
        part_(formula_tensor({2, 4, 5}, device()), Pass{});
      },
      ThrowsMessage<ShapeError>(HasSubstr("x: wanted [..., 3], got [2, 4, 5]")));
}

INSTANTIATE_DEVICES(LinearTest);

}  // namespace
}  // namespace gloss
