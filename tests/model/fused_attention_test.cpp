#include "model/fused_attention.h"

#include <string>
#include <vector>

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
using ::testing::ThrowsMessage;

constexpr std::int64_t kSentences = 3, kHeads = 2, kWidth = 8;

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
    return {{"nothing hidden", 5, 7, Mask::none()},
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
      return formula_tensor({kSentences, kHeads, length, kWidth}, device(), number).mul_(3).requires_grad_();
    };
    const auto query = input(a.T, 0), key = input(a.S, 1), value = input(a.S, 2);
    const auto result = attend(query, key, value);
    result.backward(formula_tensor(result.sizes(), device(), 3));
    return {result, query.grad(), key.grad(), value.grad()};
  }

  static std::vector<at::Tensor> run_fused(const Case& a) {
    return run(a, [&](const auto& q, const auto& k, const auto& v) { return fused_attention(q, k, v, a.mask); });
  }
  static std::vector<at::Tensor> run_by_equation(const Case& a) {
    const Pass inference;
    return run(a, [&](const auto& q, const auto& k, const auto& v) {
      return attention(q, k, v, a.mask, {inference, "site", 0});
    });
  }
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

TEST_P(FusedAttentionTest, RejectsKeysOfAnotherWidth) {
  const auto q = formula_tensor({1, 2, 3, 4}, device()), k = formula_tensor({1, 2, 3, 8}, device());
  EXPECT_THAT([&] { fused_attention(q, k, k, Mask::none()); },
              ThrowsMessage<ShapeError>(HasSubstr("key: wanted [1, 2, -1, 4], got [1, 2, 3, 8]")));
}

// Lengths beyond S hide nothing, those of one sentence would be taken for all.
TEST_P(FusedAttentionTest, RejectsAMaskOfOtherSentencesOrKeys) {
  const auto x = formula_tensor({2, 1, 3, 4}, device());
  const auto attend = [&](const Mask& mask) { fused_attention(x, x, x, mask); };
  EXPECT_THAT(
      [&] {
        attend(Mask::padding({3, 9}));
      },
      ThrowsMessage<ShapeError>(HasSubstr("mask: wanted lengths from 0 to 3, got 9")));
  EXPECT_THAT([&] { attend(Mask::padding({2})); },
              ThrowsMessage<ShapeError>(HasSubstr("mask: wanted lengths of 2 sentences, got 1")));
}

INSTANTIATE_DEVICES(FusedAttentionTest);

}  // namespace
}  // namespace gloss
