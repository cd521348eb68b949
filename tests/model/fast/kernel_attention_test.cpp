#include "model/fast/kernel_attention.h"

#include <string>
#include <vector>

#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "model/attention.h"
#include "tests/support/device_test.h"
#include "tests/support/formula_tensor.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

class KernelAttentionTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kSentences = 3, kHeads = 2, kWidth = 12;

  // [B, T, D] to [B, H, T, d_k] and back.
  static at::Tensor split(const at::Tensor& x) {
    return x.view({x.size(0), x.size(1), kHeads, kWidth / kHeads}).transpose(1, 2);
  }
  static at::Tensor join(const at::Tensor& x) { return x.transpose(1, 2).reshape({x.size(0), x.size(2), kWidth}); }

  static std::vector<at::Tensor> with_gradients(const at::Tensor& out, const std::vector<at::Tensor>& inputs) {
    out.backward(formula_tensor(out.sizes(), at::kCPU, 9));
    std::vector<at::Tensor> result{out.detach()};
    for (const auto& input : inputs) result.push_back(input.grad());
    return result;
  }
  static at::Tensor leaf(std::int64_t length, std::int64_t width, int number) {
    return formula_tensor({kSentences, length, width}, at::kCPU, number).mul_(2).requires_grad_();
  }

  static void expect_close(const std::vector<at::Tensor>& got, const std::vector<at::Tensor>& wanted) {
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_THAT(got[i], AllClose(wanted[i], 5e-6)) << i;
  }

  const RandomStream stream_ = RandomStream(1, "dropout").at(5, 2);
  const Pass training_{.training = true, .random = &stream_};
};

TEST_F(KernelAttentionTest, OfTheTextItselfEqualsTheEquationForwardAndGradient) {
  for (const std::int64_t T : {1, 7, 18, 65}) {
    for (const auto& mask :
         {Mask::unmasked(), Mask::causal(), Mask::padding({T, (T + 1) / 2, 1}), Mask::causal({T, 1, 0})}) {
      for (const double p : {0.0, 0.3}) {
        const AttentionContext context{training_, "site", p};
        const auto one = leaf(T, 3 * kWidth, 0), other = leaf(T, 3 * kWidth, 0);
        const auto got = kernel_self_attention(one, kHeads, mask, context);
        const auto parts = other.split(kWidth, -1);
        const auto wanted = join(attention(split(parts[0]), split(parts[1]), split(parts[2]), mask, context));
        expect_close(with_gradients(got, {one}), with_gradients(wanted, {other}));
      }
    }
  }
}

TEST_F(KernelAttentionTest, OfAnotherTextEqualsTheEquationForwardAndGradient) {
  for (const std::int64_t S : {1, 5, 33}) {
    for (const auto& mask : {Mask::unmasked(), Mask::padding({S, (S + 1) / 2, 0})}) {
      const AttentionContext context{training_, "site", 0.3};
      const auto x = leaf(9, kWidth, 0), memory = leaf(S, 2 * kWidth, 1);
      const auto y = leaf(9, kWidth, 0), remembered = leaf(S, 2 * kWidth, 1);
      const auto got = kernel_cross_attention(x, memory, kHeads, mask, context);
      const auto parts = remembered.split(kWidth, -1);
      const auto wanted = join(attention(split(y), split(parts[0]), split(parts[1]), mask, context));
      expect_close(with_gradients(got, {x, memory}), with_gradients(wanted, {y, remembered}));
    }
  }
}

TEST_F(KernelAttentionTest, RefusesWhatDoesNotFit) {
  const AttentionContext context{training_, "site", 0};
  EXPECT_THROW(kernel_self_attention(at::zeros({2, 4, 36}), 2, Mask::padding({4}), context), ShapeError);
  EXPECT_THROW(kernel_self_attention(at::zeros({2, 4, 36}), 5, Mask::unmasked(), context), ShapeError);
  EXPECT_THROW(kernel_cross_attention(at::zeros({2, 4, 12}), at::zeros({2, 4, 12}), 2, Mask::unmasked(), context),
               ShapeError);
}

}  // namespace
}  // namespace gloss
