#include "model/storage/int8_weights.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/device_test.h"
#include "tests/support/formula_tensor.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

class Int8WeightsTest : public DeviceTest {};

TEST_P(Int8WeightsTest, ErrorIsAtMostHalfAScale) {
  const auto weight = formula_tensor({7, 50}, device()) * 3;
  const auto rounded = to_int8(weight);
  EXPECT_EQ(rounded.values.scalar_type(), at::kChar);
  EXPECT_EQ(rounded.values.abs().amax(1).to(at::kInt).eq(127).all().item<bool>(), true);
  const auto error = (from_int8(rounded) - weight).abs() / rounded.scales.unsqueeze(1);
  EXPECT_LE(error.max().item<float>(), 0.5F + 1e-4F);
}

TEST_P(Int8WeightsTest, QuantizedWeightsRoundTrip) {
  const auto sizes = at::arange(-100, 100, at::device(device())).to(at::kDouble).exp2().unsqueeze(1);
  for (const int seed : {0, 1, 2, 3}) {
    const auto weight = (formula_tensor({200, 33}, device(), seed).to(at::kDouble) * 0.7 * sizes).to(at::kFloat);
    const auto once = to_int8(weight);
    const auto back = from_int8(once);
    const auto twice = to_int8(back);
    EXPECT_THAT(twice.values.to(at::kFloat), SameAs(once.values.to(at::kFloat)));
    EXPECT_THAT(twice.scales, SameAs(once.scales));
    EXPECT_THAT(from_int8(twice), SameAs(back));
  }
}

// 127 times this scale and 127 times its neighbor round to the same float32.
TEST_P(Int8WeightsTest, AnyScaleRoundTripsWithinOneRounding) {
  const Int8Weight given{at::tensor({127, -3, 64}, at::kChar).view({1, 3}).to(device()),
                         at::tensor({0x1.FF8080p-1F}).to(device())};
  const auto back = to_int8(from_int8(given));
  EXPECT_THAT(back.values.to(at::kFloat), SameAs(given.values.to(at::kFloat)));
  EXPECT_NEAR(back.scales.item<float>(), given.scales.item<float>(), 0x1p-24);
}

TEST_P(Int8WeightsTest, RowOfZerosStaysZero) {
  const auto rounded = to_int8(at::zeros({2, 4}, device()));
  EXPECT_THAT(from_int8(rounded), SameAs(at::zeros({2, 4}, device())));
}

TEST_P(Int8WeightsTest, ShapesAreChecked) {
  EXPECT_THROW(to_int8(at::zeros({2}, device())), ShapeError);
  EXPECT_THROW(from_int8({at::zeros({2, 3}, at::kChar), at::zeros({3})}), ShapeError);
}

INSTANTIATE_DEVICES(Int8WeightsTest);

}  // namespace
}  // namespace gloss
