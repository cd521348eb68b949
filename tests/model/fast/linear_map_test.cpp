#include "model/fast/linear_map.h"

#include <vector>

#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>
#include <gtest/gtest.h>

#include "model/dropout.h"
#include "model/fast/fast_dropout.h"
#include "tests/support/formula_tensor.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

class LinearMapTest : public ::testing::Test {
 protected:
  // Result and the gradients of x, weight and bias.
  template <typename Map>
  static std::vector<at::Tensor> run(at::IntArrayRef shape, std::int64_t out, const Map& map) {
    const auto leaf = [](at::IntArrayRef size, int number) {
      return formula_tensor(size, at::kCPU, number).requires_grad_();
    };
    const auto x = leaf(shape, 0), weight = leaf({out, shape.back()}, 1), bias = leaf({out}, 2);
    const auto y = map(x, weight, bias);
    y.backward(formula_tensor(y.sizes(), at::kCPU, 3));
    return {y.detach(), x.grad(), weight.grad(), bias.grad()};
  }

  const RandomStream stream_ = RandomStream(1, "dropout").at(5, 2);
  const Pass training_{.training = true, .random = &stream_};
};

TEST_F(LinearMapTest, EqualsAtLinearForwardAndGradient) {
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{1, 3}, {130, 20}, {7, 43, 17}, {2, 3, 4, 5}}) {
    const auto got = run(shape, 37, linear_map),
               wanted = run(shape, 37, [](const auto&x, const auto&w, const auto&b) { return at::linear(x, w, b); });
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_THAT(got[i], AllClose(wanted[i], 1e-5)) << i;
  }
}

TEST_F(LinearMapTest, TakesAnInputInAnyMemoryOrder) {
  const auto weight = formula_tensor({6, 4}, at::kCPU, 1).requires_grad_(), bias = formula_tensor({6}, at::kCPU, 2);
  const auto x = formula_tensor({4, 9}, at::kCPU).t();
  EXPECT_THAT(linear_map(x, weight, bias), AllClose(at::linear(x, weight, bias), 1e-6));
}

TEST_F(LinearMapTest, AFrozenWeightGetsNoGradientAndTheInputStillDoes) {
  const auto x = formula_tensor({5, 4}, at::kCPU).requires_grad_();
  const auto weight = formula_tensor({6, 4}, at::kCPU, 1), bias = formula_tensor({6}, at::kCPU, 2);
  linear_map(x, weight, bias).sum().backward();
  EXPECT_THAT(x.grad(), AllClose(weight.sum(0).expand({5, 4}), 1e-5));
  EXPECT_FALSE(weight.grad().defined());
}

TEST_F(LinearMapTest, WithReluAndDropoutEqualsTheThreeOneAfterTheOther) {
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{1, 3}, {130, 20}, {7, 43, 17}}) {
    for (const double p : {0.0, 0.3}) {
      const auto got = run(shape, 37, [&](const auto& x, const auto& w, const auto& b) {
        return linear_relu_dropout(x, w, b, dropout_mask(p, training_, "site"));
      });
      const auto wanted = run(shape, 37, [&](const auto& x, const auto& w, const auto& b) {
        return dropout(at::relu(at::linear(x, w, b)), p, training_, "site");
      });
      for (std::size_t i = 0; i < got.size(); ++i) EXPECT_THAT(got[i], AllClose(wanted[i], 1e-5)) << i << ", p " << p;
    }
  }
}

}  // namespace
}  // namespace gloss
