#include "model/fast/fast_attention.h"

#include <cmath>
#include <string>
#include <vector>

#include <ATen/ops/eye.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "model/attention.h"
#include "tests/support/device_test.h"
#include "tests/support/formula_tensor.h"
#include "tests/support/recorded_operations.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

constexpr std::int64_t kSentences = 3, kHeads = 2, kHeadWidth = 8;

struct Case {
  std::string name;
  std::int64_t T, S;
  Mask mask;
};

class FusedAttentionTest : public DeviceTest {
 protected:
  static at::Tensor hidden() {  // every other key, and in sentence 1 all of them
    auto hidden = at::zeros({kSentences, 7}, at::device(device()).dtype(at::kBool));
    hidden.slice(1, 0, 7, 2).fill_(true);
    hidden[1].fill_(true);
    return hidden;
  }

  static std::vector<Case> cases() {
    return {{"nothing hidden", 5, 7, Mask::unmasked()},
            {"padded", 7, 7, Mask::padding({7, 3, 1})},
            {"cross, padded", 5, 7, Mask::padding({4, 7, 1})},
            {"causal", 7, 7, Mask::causal()},
            {"causal, padded", 7, 7, Mask::causal({7, 3, 1})},
            {"causal, last queries only", 3, 7, Mask::causal()},
            {"one query", 1, 7, Mask::causal({7, 7, 7})},
            {"hidden positions", 5, 7, Mask::padding({7, 7, 2}).hiding(hidden())},
            {"hidden positions, causal", 7, 7, Mask::causal().hiding(hidden())},
            {"fully hidden sentence", 5, 7, Mask::padding({0, 7, 3})},
            {"fully hidden sentence, causal", 7, 7, Mask::causal({0, 7, 3})},
            {"queries before the first key", 7, 5, Mask::causal()}};
  }

  // Result and the gradients of query, key and value.
  template <typename Attention>
  static std::vector<at::Tensor> run(const Case& a, const Attention& attend) {
    const auto input = [](std::int64_t length, int number) {
      return formula_tensor({kSentences, kHeads, length, kHeadWidth}, device(), number).mul_(3).requires_grad_();
    };
    const auto query = input(a.T, 0), key = input(a.S, 1), value = input(a.S, 2);
    const auto result = attend(query, key, value);
    result.backward(formula_tensor(result.sizes(), device(), 3));
    return {result, query.grad(), key.grad(), value.grad()};
  }

  static std::vector<at::Tensor> run_fused(const Case& a, const Pass& pass = {}, double dropout = 0.3) {
    return run(a, [&](const auto& q, const auto& k, const auto& v) {
      return fused_attention(q, k, v, a.mask, {pass, "site", dropout});
    });
  }
  static std::vector<at::Tensor> run_by_equation(const Case& a) {
    const Pass inference;
    return run(a, [&](const auto& q, const auto& k, const auto& v) {
      return attention(q, k, v, a.mask, {inference, "site", 0});
    });
  }

  const RandomStream stream_ = RandomStream(1, "dropout").at(5, 2);
  const Pass training_{.training = true, .random = &stream_};
  const Pass inference_{};
};

TEST_P(FusedAttentionTest, EqualsTheEquationForwardAndGradient) {
  for (const auto& a : cases()) {
    const auto fused = run_fused(a), wanted = run_by_equation(a);
    const std::vector<std::string> names{"result", "query", "key", "value"};
    for (std::size_t i = 0; i < names.size(); ++i) {
      EXPECT_THAT(fused[i], AllClose(wanted[i], 1e-5)) << a.name << ", " << names[i];
    }
  }
}

TEST_P(FusedAttentionTest, RunsAFusedKernelAndTheEquationRunsNone) {
  for (const auto& a : cases()) {
    {
      const RecordedOperations operations;
      run_fused(a);
      EXPECT_TRUE(operations.has("aten::scaled_dot_product_attention")) << a.name;
      EXPECT_FALSE(operations.has("aten::_scaled_dot_product_attention_math")) << a.name;
      if (device().is_cpu()) {
        EXPECT_TRUE(operations.has("aten::_scaled_dot_product_flash_attention_for_cpu")) << a.name;
        EXPECT_TRUE(operations.has("aten::_scaled_dot_product_flash_attention_for_cpu_backward")) << a.name;
      }
    }
    const RecordedOperations operations;
    run_by_equation(a);
    EXPECT_TRUE(operations.has("aten::softmax")) << a.name;
    EXPECT_FALSE(operations.has_prefix("aten::scaled_dot_product")) << a.name;
  }
}

TEST_P(FusedAttentionTest, QueryThatSeesNothingGetsZerosAndNoGradient) {
  const auto results = run_fused({"", 5, 7, Mask::padding({0, 7, 3})});
  for (const auto& tensor : results) EXPECT_THAT(tensor[0], SameAs(at::zeros(tensor[0].sizes(), tensor.options())));
}

// The identity for values shows the weights: those that are left are 1 / (1 - p) times what they were.
TEST_P(FusedAttentionTest, InTrainingAboutPOfTheWeightsAreDroppedAndTheRestGrow) {
  constexpr std::int64_t S = 40;
  constexpr double p = 0.3;
  const auto query = formula_tensor({2, 3, S, S}, device(), 0), key = formula_tensor({2, 3, S, S}, device(), 1);
  const auto value = at::eye(S, device()).expand({2, 3, S, S});
  for (const auto& mask : {Mask::unmasked(), Mask::causal(), Mask::padding({S, 17}), Mask::padding({0, S})}) {
    const auto weights = attention(query, key, value, mask, {inference_, "site", p});
    const auto left = fused_attention(query, key, value, mask, {training_, "site", p});
    const auto kept = left.ne(0);
    EXPECT_THAT(left, AllClose((weights / (1 - p)).masked_fill(kept.logical_not(), 0), 1e-5));
    const double visible = weights.ne(0).sum().item<double>(), share = kept.sum().item<double>() / visible;
    EXPECT_NEAR(share, 1 - p, 5 * std::sqrt(p * (1 - p) / visible));
  }
}

TEST_P(FusedAttentionTest, DropsTheSameWeightsForwardBackwardAndAgain) {
  for (const auto& a : cases()) {
    const auto once = run_fused(a, training_), again = run_fused(a, training_);
    for (std::size_t i = 0; i < once.size(); ++i) EXPECT_THAT(again[i], SameAs(once[i])) << a.name << ", " << i;
    // The result is linear in the values: times their gradient it is itself only where both saw one mask.
    const auto value = formula_tensor({kSentences, kHeads, a.S, kHeadWidth}, device(), 2).mul_(3);
    const auto of_result = formula_tensor(once[0].sizes(), device(), 3);
    EXPECT_NEAR((once[3] * value).sum().item<double>(), (once[0] * of_result).sum().item<double>(), 1e-3) << a.name;
    const auto other = stream_.at(6, 2);
    EXPECT_THAT(run_fused(a, {.training = true, .random = &other})[0], Not(SameAs(once[0]))) << a.name;
  }
}

TEST_P(FusedAttentionTest, RejectsKeysOfAnotherWidth) {
  const auto q = formula_tensor({1, 2, 3, 4}, device()), k = formula_tensor({1, 2, 3, 8}, device());
  EXPECT_THAT(
      [&] {
        fused_attention(q, k, k, Mask::unmasked(), {inference_, "site", 0});
      },
      ThrowsMessage<ShapeError>(HasSubstr("key: wanted [1, 2, -1, 4], got [1, 2, 3, 8]")));
}

// Lengths beyond S hide nothing, those of one sentence would be taken for all.
TEST_P(FusedAttentionTest, RejectsAMaskOfOtherSentencesOrKeys) {
  const auto x = formula_tensor({2, 1, 3, 4}, device());
  const auto attend = [&](const Mask& mask) { fused_attention(x, x, x, mask, {inference_, "site", 0}); };
  EXPECT_THAT(
      [&] {
        attend(Mask::padding({3, 9}));
      },
      ThrowsMessage<ShapeError>(HasSubstr("mask: wanted lengths from 0 to 3, got 9")));
  EXPECT_THAT([&] { attend(Mask::padding({2})); },
              ThrowsMessage<ShapeError>(HasSubstr("mask: wanted lengths of 2 sentences, got 1")));
}

INSTANTIATE_DEVICES(FusedAttentionTest);

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
