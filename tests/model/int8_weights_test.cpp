#include "model/int8_weights.h"

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

TEST_P(Int8WeightsTest, AValueIsAtMostHalfAStepOff) {
  const auto weight = formula_tensor({7, 50}, device()) * 3;
  const auto rounded = to_int8(weight);
  EXPECT_EQ(rounded.values.scalar_type(), at::kChar);
  EXPECT_EQ(rounded.values.abs().amax(1).to(at::kInt).eq(127).all().item<bool>(), true);
  const auto error = (from_int8(rounded) - weight).abs() / rounded.scales.unsqueeze(1);
  EXPECT_LE(error.max().item<float>(), 0.5F + 1e-4F);
}

TEST_P(Int8WeightsTest, WhatWasRoundedComesBackAsItWas) {
  const auto once = to_int8(formula_tensor({5, 33}, device()));
  const auto twice = to_int8(from_int8(once));
  EXPECT_THAT(twice.values.to(at::kFloat), SameAs(once.values.to(at::kFloat)));
  EXPECT_THAT(twice.scales, AllClose(once.scales, 1e-6));
}

TEST_P(Int8WeightsTest, ARowOfZerosStaysOne) {
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
