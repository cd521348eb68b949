#include "tensor/shape.h"

#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace gloss {
namespace {

using ::testing::HasSubstr;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

TEST(ShapeTest, SizesReturnsEachDimension) {
  const auto [B, T, D] = sizes<3>(at::zeros({2, 5, 3}), "x");
  EXPECT_EQ(B, 2);
  EXPECT_EQ(T, 5);
  EXPECT_EQ(D, 3);
}

TEST(ShapeTest, ErrorsNameTheTensorAndBothShapes) {
  const auto x = at::zeros({1, 2, 3, 8});
  EXPECT_THAT(
      [&] {
        expect_shape(x, {1, 2, 3, 4}, "key");
      },
      ThrowsMessage<ShapeError>(StrEq("key: wanted [1, 2, 3, 4], got [1, 2, 3, 8]")));
  EXPECT_THAT([&] { expect_shape(x, {1, 2, 3}, "key"); }, ThrowsMessage<ShapeError>(HasSubstr("got [1, 2, 3, 8]")));
  EXPECT_THAT([&] { sizes<3>(x, "x"); }, ThrowsMessage<ShapeError>(StrEq("x: wanted 3 dimensions, got [1, 2, 3, 8]")));
  EXPECT_THAT([&] { sizes<3>(at::Tensor(), "x"); }, ThrowsMessage<ShapeError>(HasSubstr("got nothing")));
}

TEST(ShapeTest, ExpectWidthChecksTheLastDimension) {
  expect_width(at::zeros({4, 0, 2}), 2, "x");
  EXPECT_THAT(
      [] {
        expect_width(at::zeros({2, 4, 3}), 4, "x");
      },
      ThrowsMessage<ShapeError>(StrEq("x: wanted [..., 4], got [2, 4, 3]")));
  EXPECT_THROW(expect_width(at::zeros({}), 1, "x"), ShapeError);
  EXPECT_THAT([] { expect_width(at::Tensor(), 4, "x"); }, ThrowsMessage<ShapeError>(HasSubstr("got nothing")));
}

TEST(ShapeTest, MinusOneMatchesAnySize) {
  expect_shape(at::zeros({4, 0, 2}), {-1, -1, 2}, "x");
  EXPECT_THROW(expect_shape(at::zeros({4, 0, 3}), {-1, -1, 2}, "x"), ShapeError);
}

}  // namespace
}  // namespace gloss
