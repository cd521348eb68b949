#include "model/alternatives/ssru.h"

#include <cmath>
#include <vector>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/device_test.h"
#include "tests/support/formula_tensor.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

class SsruTest : public DeviceTest {
 protected:
  static Ssru make(std::int64_t width) {
    Ssru ssru(width);
    ssru->to(device());
    const at::NoGradGuard no_grad;
    int number = 0;
    for (auto& parameter : ssru->parameters()) parameter.copy_(formula_tensor(parameter.sizes(), device(), ++number));
    return ssru;
  }
};

// Width 1: W = 1, W_f = 0, b_f = log 3, so that f = 3/4.
TEST_P(SsruTest, WorkedExample) {
  Ssru ssru(1);
  ssru->to(device());
  const at::NoGradGuard no_grad;
  ssru->named_parameters()["value.weight"].fill_(1);
  ssru->named_parameters()["gate.bias"].fill_(std::log(3.0));
  const auto x = at::tensor({4.0, -8.0, 0.0, 12.0}).to(device(), at::kFloat).view({1, 4, 1});
  const std::vector<double> states{1, -1.25, -0.9375, 2.296875};  // 3/4 of the state before, plus 1/4 of x
  const auto wanted = at::tensor({states[0], 0.0, 0.0, states[3]}).to(device(), at::kFloat);
  EXPECT_THAT(ssru(x, Pass{}).flatten(), AllClose(wanted, 1e-6));

  auto state = at::zeros({1, 1}, x.options());
  for (std::int64_t t = 0; t < 4; ++t) {
    EXPECT_THAT(ssru->step(x.narrow(1, t, 1), state, Pass{}).flatten()[0], AllClose(wanted[t], 1e-6));
    EXPECT_NEAR(state.item<double>(), states[static_cast<std::size_t>(t)], 1e-6);
  }
}

TEST_P(SsruTest, HasTheWeightsOfThePaper) {
  std::vector<std::string> names;
  for (const auto& item : make(4)->named_parameters()) names.push_back(item.key());
  EXPECT_THAT(names, testing::UnorderedElementsAre("value.weight", "gate.weight", "gate.bias"));
}

TEST_P(SsruTest, StepsEqualTheForwardPass) {
  const at::NoGradGuard no_grad;
  auto ssru = make(6);
  const auto x = formula_tensor({3, 40, 6}, device());
  for (const auto& pass : {Pass{}, Pass{.plain = true}}) {
    auto state = at::zeros({3, 6}, x.options());
    std::vector<at::Tensor> steps;
    for (std::int64_t t = 0; t < x.size(1); ++t) steps.push_back(ssru->step(x.narrow(1, t, 1), state, pass).squeeze(1));
    EXPECT_THAT(at::stack(steps, 1), AllClose(ssru(x, pass), 1e-6));
  }
}

TEST_P(SsruTest, APositionDependsOnThoseUpToItAlone) {
  const at::NoGradGuard no_grad;
  auto ssru = make(6);
  const auto x = formula_tensor({2, 7, 6}, device());
  auto other = x.clone();
  other[0][3].add_(1);
  const auto before = ssru(x, Pass{}), after = ssru(other, Pass{});
  EXPECT_THAT(after.narrow(1, 0, 3), SameAs(before.narrow(1, 0, 3)));
  EXPECT_THAT(after[0].narrow(0, 3, 4), Not(AllClose(before[0].narrow(0, 3, 4), 1e-3)));
  EXPECT_THAT(after[1], SameAs(before[1]));
  EXPECT_THAT(ssru(x.narrow(1, 0, 4), Pass{}), AllClose(before.narrow(1, 0, 4), 1e-6));
}

TEST_P(SsruTest, RejectsAStateOfOtherRows) {
  auto state = at::zeros({3, 6}, at::device(device()));
  EXPECT_THAT(
      [&] {
        make(6)->step(at::zeros({2, 1, 6}, state.options()), state, Pass{});
      },
      ThrowsMessage<ShapeError>(HasSubstr("x: wanted [3, 1, 6], got [2, 1, 6]")));
}

INSTANTIATE_DEVICES(SsruTest);

}  // namespace
}  // namespace gloss
