#include "model/generator.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones.h>
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

class GeneratorTest : public DeviceTest {};

TEST_P(GeneratorTest, IsTheLogOfADistribution) {
  Generator part(8, 20);
  part->to(device());
  {
    const at::NoGradGuard no_grad;
    for (auto& parameter : part->parameters()) parameter.copy_(formula_tensor(parameter.sizes()));
  }
  const auto x = formula_tensor({2, 3, 8}, device(), 1);
  const auto y = part(x);
  EXPECT_THAT(y.exp().sum(-1), AllClose(at::ones({2, 3}, x.options()), 1e-5));
  const auto logits = x.matmul(part->weight().t()) + part->bias();
  EXPECT_THAT(part->logits(x), AllClose(logits, 1e-5));
  EXPECT_THAT(y - y.select(-1, 0).unsqueeze(-1), AllClose(logits - logits.select(-1, 0).unsqueeze(-1), 1e-5));
}

TEST_P(GeneratorTest, BorrowsATiedWeightAndRegistersTheBiasAlone) {
  const auto weight = formula_tensor({20, 8}, device()).requires_grad_();
  Generator part(weight);
  ASSERT_EQ(part->named_parameters().keys(), std::vector<std::string>{"bias"});
  EXPECT_TRUE(part->weight().is_same(weight));
  EXPECT_EQ(part->bias().device().type(), device().type());
  part(formula_tensor({1, 8}, device())).select(-1, 0).sum().backward();
  EXPECT_TRUE(weight.grad().defined());
}

TEST_P(GeneratorTest, RejectsAWeightThatIsNoMatrix) {
  EXPECT_THROW(Generator(formula_tensor({20}, device())), ShapeError);
}

TEST_P(GeneratorTest, RejectsAnotherWidth) {
  Generator part(8, 20);
  part->to(device());
  EXPECT_THAT(
      [&] {
        part(formula_tensor({2, 3, 9}, device()));
      },
      ThrowsMessage<ShapeError>(HasSubstr("x: wanted [..., 8], got [2, 3, 9]")));
  EXPECT_THROW(part->logits(at::Tensor()), ShapeError);
}

INSTANTIATE_DEVICES(GeneratorTest);

}  // namespace
}  // namespace gloss
