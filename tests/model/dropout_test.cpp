#include "model/dropout.h"

#include <cmath>

#include <ATen/Parallel.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
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
using ::testing::Not;
using ::testing::Property;
using ::testing::Throws;
using ::testing::ThrowsMessage;

class DropoutTest : public DeviceTest {
 protected:
  static at::Tensor ones(at::IntArrayRef shape) { return at::ones(shape, device()); }

  const RandomStream stream_ = RandomStream(1, "dropout").at(5, 2);
  const Pass training_{.training = true, .random = &stream_};
};

TEST_P(DropoutTest, DoesNothingOutsideTrainingOrAtZero) {
  const auto x = ones({3, 4});
  EXPECT_TRUE(dropout(x, 0.5, {}, "site").is_same(x));
  EXPECT_TRUE(dropout(x, 0, training_, "site").is_same(x));
}

TEST_P(DropoutTest, DropsAboutPAndKeepsTheExpectation) {
  constexpr double kCount = 1 << 20;
  for (const double p : {0.1, 0.3, 0.5, 0.9}) {
    const auto y = dropout(ones({1 << 20}), p, training_, "site");
    const double deviation = std::sqrt(p * (1 - p) / kCount);
    EXPECT_NEAR(y.eq(0).to(at::kDouble).mean().item<double>(), p, 5 * deviation);
    EXPECT_NEAR(y.to(at::kDouble).mean().item<double>(), 1, 5 * deviation / (1 - p));
    EXPECT_FLOAT_EQ(y.max().item<float>(), static_cast<float>(1 / (1 - p)));
  }
}

TEST_P(DropoutTest, ElementIsDroppedByItsOwnBitsOfTheSitesStream) {
  if (!device().is_cpu()) GTEST_SKIP() << "LibTorch drops here";
  const auto y = dropout(ones({7, 11}), 0.25, training_, "encoder.layers.0").flatten().to(at::kCPU);
  const auto site = stream_.stream("encoder.layers.0");
  for (std::uint64_t e = 0; e < 77; ++e) {
    EXPECT_EQ(y[static_cast<std::int64_t>(e)].item<float>() == 0, site.bits(e) < 0x40000000) << e;
  }
}

TEST_P(DropoutTest, EqualsItsPlainTwinBitForBitAtOddSizes) {
  if (!device().is_cpu()) GTEST_SKIP() << "LibTorch drops here";
  for (const std::int64_t count : {0, 1, 3, 4, 5, 63, 64, 65, 1000, 16383, 16385, 100003}) {
    const auto x = formula_tensor({count}, device());
    EXPECT_THAT(dropout(x, 0.3, training_, "site"), SameAs(plain_dropout(x, 0.3, stream_.stream("site")))) << count;
  }
}

TEST_P(DropoutTest, BackwardHasTheMaskOfForward) {
  const auto x = ones({33, 65}).requires_grad_();
  const auto y = dropout(x, 0.4, training_, "site");
  y.sum().backward();
  EXPECT_THAT(x.grad(), SameAs(y.detach()));  // of ones, both are the mask times 1 / (1 - p)
}

TEST_P(DropoutTest, AddedToAResidualItIsTheSumOfBoth) {
  if (!device().is_cpu()) GTEST_SKIP() << "LibTorch drops here";
  const auto residual = formula_tensor({33, 65}, device(), 1).requires_grad_();
  const auto x = formula_tensor({33, 65}, device()).requires_grad_();
  const auto sum = dropout_and_add(residual, x, 0.4, training_, "site");
  EXPECT_THAT(sum, AllClose(residual + plain_dropout(x, 0.4, stream_.stream("site")), 1e-6));
  EXPECT_THAT(dropout_and_add(residual, x, 0.4, {}, "site"), SameAs(residual + x));
  sum.backward(ones({33, 65}));
  EXPECT_THAT(residual.grad(), SameAs(ones({33, 65})));
  EXPECT_THAT(x.grad(), SameAs(plain_dropout(ones({33, 65}), 0.4, stream_.stream("site"))));
}

TEST_P(DropoutTest, CountsElementsInTheOrderOfTheShapeNotOfMemory) {
  if (!device().is_cpu()) GTEST_SKIP() << "LibTorch drops here";
  const auto x = formula_tensor({12, 9}, device());
  EXPECT_THAT(dropout(x.t(), 0.3, training_, "site"), SameAs(dropout(x.t().contiguous(), 0.3, training_, "site")));
  const auto leaf = formula_tensor({12, 9}, device()).requires_grad_();
  const auto y = dropout(leaf.t(), 0.3, training_, "site");
  y.backward(ones({9, 12}));
  EXPECT_THAT(leaf.grad().t().ne(0), SameAs(y.detach().ne(0)));
}

TEST_P(DropoutTest, SiteUpdateAndMicroBatchEachMakeAnotherMask) {
  const auto x = ones({1000});
  const auto y = dropout(x, 0.5, training_, "site");
  EXPECT_THAT(dropout(x, 0.5, training_, "site"), SameAs(y));
  EXPECT_THAT(dropout(x, 0.5, training_, "other"), Not(SameAs(y)));
  for (const auto& other : {stream_.at(6, 2), stream_.at(5, 3), RandomStream(2, "dropout").at(5, 2)}) {
    EXPECT_THAT(dropout(x, 0.5, {.training = true, .random = &other}, "site"), Not(SameAs(y)));
  }
}

TEST_P(DropoutTest, IsTheSameWithAnyNumberOfThreads) {
  const auto x = formula_tensor({3, 100001}, device());
  const int before = at::get_num_threads();
  at::set_num_threads(1);
  const auto one = dropout(x, 0.3, training_, "site");
  at::set_num_threads(2);
  const auto two = dropout(x, 0.3, training_, "site");
  at::set_num_threads(before);
  EXPECT_THAT(two, SameAs(one));
}

TEST_P(DropoutTest, WorksInOtherFloatingTypes) {
  if (!device().is_cpu()) GTEST_SKIP() << "LibTorch drops here";
  const auto x = formula_tensor({50, 7}, device());
  EXPECT_THAT(dropout(x.to(at::kDouble), 0.3, training_, "site"),
              AllClose(dropout(x, 0.3, training_, "site").to(at::kDouble), 1e-6));
  EXPECT_EQ(dropout(x.to(at::kBFloat16), 0.3, training_, "site").scalar_type(), at::kBFloat16);
}

TEST_P(DropoutTest, TrainingNeedsAStream) {
  const auto without_a_stream = [] { dropout(ones({2}), 0.5, {.training = true}, "here"); };
  EXPECT_THAT(without_a_stream, ThrowsMessage<Error>(HasSubstr("dropout at here: wanted a stream")));
  EXPECT_THAT(without_a_stream, Throws<Error>(Property(&Error::exit_code, ExitCode::kFault)));  // not the user's
}

INSTANTIATE_DEVICES(DropoutTest);

class RandomWordsTest : public DeviceTest {};

TEST_P(RandomWordsTest, AreTheBitsOfTheStream) {
  for (const auto& stream : {RandomStream(1, "dropout").at(5, 2), RandomStream(~0ULL, "").at(~0U, ~0U)}) {
    for (const std::int64_t count : {0, 1, 3, 4, 5, 1001}) {
      const auto words = random_words(stream, count, device()).to(at::kCPU);
      ASSERT_EQ(words.sizes(), at::IntArrayRef{count});
      for (std::int64_t e = 0; e < count; ++e)
        EXPECT_EQ(words[e].item<std::int64_t>(), stream.bits(static_cast<std::uint64_t>(e))) << e;
    }
  }
}

INSTANTIATE_DEVICES(RandomWordsTest);

}  // namespace

}  // namespace gloss
