#include "model/embedding.h"

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

class EmbeddingTest : public DeviceTest {};

TEST_P(EmbeddingTest, IsTheTokensRowTimesTheRootOfTheWidth) {
  Embedding part(6, 16);
  part->to(device());
  const at::NoGradGuard no_grad;
  part->named_parameters()["weight"].copy_(formula_tensor({6, 16}));
  const auto y = part(at::tensor({5, 1, 1, 4}, at::kLong).view({2, 2}).to(device()), Pass{});
  EXPECT_THAT(y[0][0], AllClose(part->weight()[5] * 4, 1e-6));
  EXPECT_THAT(y[1][0], SameAs(y[0][1]));
}

TEST_P(EmbeddingTest, PadGetsNoGradientAndRepeatedTokensAddUp) {
  Embedding part(6, 16);
  part->to(device());
  part(at::tensor({0, 2, 2, 3}, at::kLong).view({1, 4}).to(device()), Pass{}).sum().backward();
  const auto gradient = part->weight().grad().sum(1).to(at::kCPU);
  EXPECT_THAT(gradient, AllClose(at::tensor({0.0F, 0.0F, 128.0F, 64.0F, 0.0F, 0.0F}), 1e-6));
}

TEST_P(EmbeddingTest, RejectsIdsThatAreNoBatch) {
  Embedding part(6, 16);
  part->to(device());
  EXPECT_THROW(part(at::tensor({1, 2}, at::kLong).to(device()), Pass{}), ShapeError);
}

INSTANTIATE_DEVICES(EmbeddingTest);

}  // namespace
}  // namespace gloss
