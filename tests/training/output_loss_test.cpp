#include "training/output_loss.h"

#include <limits>
#include <vector>

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

using testing::HasSubstr;
using testing::ThrowsMessage;

class OutputLossTest : public DeviceTest {
 protected:
  static constexpr std::int64_t kWidth = 12, kVocabulary = 37;

  static Generator generator() {
    Generator generator(kWidth, kVocabulary);
    const at::NoGradGuard no_grad;
    generator->weight().copy_(formula_tensor({kVocabulary, kWidth}, at::kCPU, 1));
    generator->bias().copy_(formula_tensor({kVocabulary}, at::kCPU, 2));
    generator->to(device());
    return generator;
  }

  // Ids from 0 on, so that some rows want pad.
  static at::Tensor wanted(std::int64_t N) {
    std::vector<std::int64_t> ids;
    for (std::int64_t i = 0; i < N; ++i) ids.push_back(i * 7 % kVocabulary);
    return at::tensor(ids, at::kLong).to(device());
  }
};

TEST_P(OutputLossTest, EqualsGeneratorAndLossOneAfterTheOther) {
  for (const std::int64_t N : {1, 5, 256, 600}) {  // less than a slice, one, more
    for (const double epsilon : {0.0, 0.1}) {
      auto one = generator(), other = generator();
      const auto x = formula_tensor({N, kWidth}, device()).mul_(3).requires_grad_();
      const auto y = x.detach().clone().requires_grad_();
      const auto got = output_loss(one, x, wanted(N), epsilon);
      const auto plain = label_smoothed_loss(other(y), wanted(N), epsilon);
      EXPECT_FALSE(got.nll_sum.requires_grad());
      EXPECT_NEAR(got.nll_sum.item<double>(), plain.nll_sum.item<double>(), 1e-5 * static_cast<double>(N));
      EXPECT_NEAR(got.smoothed_sum.item<double>(), plain.smoothed_sum.item<double>(), 1e-5 * static_cast<double>(N));
      got.smoothed_sum.backward();
      plain.smoothed_sum.backward();
      EXPECT_THAT(x.grad(), AllClose(y.grad(), 5e-6));
      EXPECT_THAT(one->weight().grad(), AllClose(other->weight().grad(), 1e-5));
      EXPECT_THAT(one->bias().grad(), AllClose(other->bias().grad(), 1e-5));
    }
  }
}

TEST_P(OutputLossTest, GradientIsScaledByThatOfTheSum) {
  auto one = generator(), other = generator();
  const auto x = formula_tensor({9, kWidth}, device()).requires_grad_();
  const auto y = x.detach().clone().requires_grad_();
  output_loss(one, x, wanted(9), 0.1).smoothed_sum.backward();
  (output_loss(other, y, wanted(9), 0.1).smoothed_sum * 0.25).backward();
  EXPECT_THAT(y.grad(), AllClose(x.grad() * 0.25, 1e-7));
  EXPECT_THAT(other->weight().grad(), AllClose(one->weight().grad() * 0.25, 1e-6));
}

TEST_P(OutputLossTest, WhatIsFrozenGetsNoGradientAndTheRestStillDoes) {
  auto all = generator(), frozen = generator();
  frozen->weight().requires_grad_(false);
  const auto x = formula_tensor({300, kWidth}, device()).requires_grad_();
  const auto y = x.detach().clone().requires_grad_();
  output_loss(all, x, wanted(300), 0.1).smoothed_sum.backward();
  output_loss(frozen, y, wanted(300), 0.1).smoothed_sum.backward();
  EXPECT_THAT(y.grad(), SameAs(x.grad()));
  EXPECT_THAT(frozen->bias().grad(), SameAs(all->bias().grad()));
  EXPECT_FALSE(frozen->weight().grad().defined());
}

TEST_P(OutputLossTest, IsTheSameWhereNoGradientIsRecorded) {
  auto part = generator();
  const auto x = formula_tensor({300, kWidth}, device());
  const auto with = output_loss(part, x, wanted(300), 0.1);
  const at::NoGradGuard no_grad;
  const auto without = output_loss(part, x, wanted(300), 0.1);
  EXPECT_EQ(with.nll_sum.item<double>(), without.nll_sum.item<double>());
  EXPECT_EQ(with.smoothed_sum.item<double>(), without.smoothed_sum.item<double>());
}

TEST_P(OutputLossTest, WhatIsNoNumberIsNotHidden) {
  auto part = generator();
  const auto x = formula_tensor({20, kWidth}, device());
  x[4][2].fill_(std::numeric_limits<float>::quiet_NaN());
  const at::NoGradGuard no_grad;
  EXPECT_FALSE(std::isfinite(output_loss(part, x, wanted(20), 0.0).nll_sum.item<double>()));
}

TEST_P(OutputLossTest, RefusesWhatDoesNotFit) {
  auto part = generator();
  const auto x = formula_tensor({4, kWidth}, device());
  EXPECT_THAT([&] { output_loss(part, x, wanted(3), 0); }, ThrowsMessage<ShapeError>(HasSubstr("wanted [4], got [3]")));
  EXPECT_THROW(output_loss(part, x.narrow(1, 0, 5), wanted(4), 0), ShapeError);
  if (device().is_cpu()) {
    EXPECT_THAT([&] { output_loss(part, x, wanted(4) + kVocabulary, 0); },
                ThrowsMessage<ShapeError>(HasSubstr("wanted ids from 0 to 36, got 37")));
  }
}

INSTANTIATE_DEVICES(OutputLossTest);

}  // namespace
}  // namespace gloss
