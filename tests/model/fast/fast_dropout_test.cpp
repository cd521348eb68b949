#include "model/fast/fast_dropout.h"

#include <cmath>

#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/device_test.h"
#include "tests/support/formula_tensor.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

using ::testing::Not;

class LibraryDropoutTest : public DeviceTest {
 protected:
  static at::Tensor ones(at::IntArrayRef shape) { return at::ones(shape, device()); }

  const RandomStream stream_ = RandomStream(1, "dropout").at(5, 2);
};

TEST_P(LibraryDropoutTest, DropsAboutPAndKeepsTheExpectation) {
  constexpr double kCount = 1 << 20;
  for (const double p : {0.1, 0.5, 0.9}) {
    const auto y = torch_dropout(ones({1 << 20}), p, stream_);
    const double deviation = std::sqrt(p * (1 - p) / kCount);
    EXPECT_NEAR(y.eq(0).to(at::kDouble).mean().item<double>(), p, 5 * deviation);
    EXPECT_NEAR(y.to(at::kDouble).mean().item<double>(), 1, 5 * deviation / (1 - p));
  }
}

TEST_P(LibraryDropoutTest, IsAFunctionOfTheStreamWhateverWasDrawnBefore) {
  const auto x = formula_tensor({50, 20}, device());
  const auto y = torch_dropout(x, 0.5, stream_);
  at::rand({17}, device());
  EXPECT_THAT(torch_dropout(x, 0.5, stream_), SameAs(y));
  for (const auto& other :
       {stream_.at(6, 2), stream_.at(5, 3), stream_.stream("site"), RandomStream(2, "dropout").at(5, 2)})
    EXPECT_THAT(torch_dropout(x, 0.5, other), Not(SameAs(y)));
}

TEST_P(LibraryDropoutTest, BackwardHasTheMaskOfForward) {
  const auto x = ones({33, 65}).requires_grad_();
  const auto y = torch_dropout(x, 0.4, stream_);
  y.sum().backward();
  EXPECT_THAT(x.grad(), SameAs(y.detach()));  // of ones, both are the mask times 1 / (1 - p)
}

INSTANTIATE_DEVICES(LibraryDropoutTest);

}  // namespace
}  // namespace gloss
