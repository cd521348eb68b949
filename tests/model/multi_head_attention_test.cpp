#include "model/multi_head_attention.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/eye.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "model/attention.h"
#include "model/weights.h"
#include "tests/support/device_test.h"
#include "tests/support/formula_tensor.h"
#include "tests/support/recorded_operations.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class SilentProbe final : public Probe {
 public:
  void attention(std::string_view site, at::Tensor& weights, const at::Tensor&) override {
    site_ = site;
    shape_ = weights.sizes().vec();
  }
  std::string site_;
  std::vector<std::int64_t> shape_;
};

class MultiHeadAttentionTest : public DeviceTest {
 protected:
  MultiHeadAttentionTest() {
    initialize(*part_, RandomStream(1, "weights"));
    part_->to(device());
    part_->set_site("encoder.layers.0.self_attention");
  }

  bool holds_weights(const Pass& pass) {
    const RecordedOperations operations;
    part_(x_, memory_, Mask::padding({5, 2}), pass);
    return operations.has("aten::softmax");
  }

  MultiHeadAttention part_{8, 2, 0.3};
  const at::Tensor x_ = formula_tensor({2, 3, 8}, device()), memory_ = formula_tensor({2, 5, 8}, device(), 1);
  const RandomStream stream_{4, "dropout"};
};

TEST_P(MultiHeadAttentionTest, HoldsTheWeightsOnlyForAProbe) {
  SilentProbe probe;
  EXPECT_FALSE(holds_weights({}));
  EXPECT_TRUE(holds_weights({.probe = &probe}));
  EXPECT_FALSE(holds_weights({.training = true, .random = &stream_}));
  part_ = MultiHeadAttention(8, 2, 0.0);
  part_->to(device());
  EXPECT_FALSE(holds_weights({.training = true, .random = &stream_}));
}

TEST_P(MultiHeadAttentionTest, BothPathsAgree) {
  SilentProbe probe;
  const auto mask = Mask::padding({5, 2});
  EXPECT_THAT(part_(x_, memory_, mask, Pass{}), AllClose(part_(x_, memory_, mask, Pass{.probe = &probe}), 1e-6));
  EXPECT_THAT(part_(x_, x_, Mask::causal(), Pass{}),
              AllClose(part_(x_, x_, Mask::causal(), Pass{.probe = &probe}), 1e-6));
  if (!device().is_cpu()) return;  // where other weights are dropped with a probe
  EXPECT_THAT(
      part_(x_, memory_, Mask::unmasked(), Pass{.training = true, .random = &stream_}),
      AllClose(part_(x_, memory_, Mask::unmasked(), Pass{.training = true, .random = &stream_, .probe = &probe}),
               1e-6));
  EXPECT_EQ(probe.site_, "encoder.layers.0.self_attention");
  EXPECT_THAT(probe.shape_, ::testing::ElementsAre(2, 2, 3, 5));
}

// With identities for all four maps, each half of the width is an attention of its own.
TEST_P(MultiHeadAttentionTest, EachHeadAttendsWithItsOwnPartOfTheWidth) {
  const at::NoGradGuard no_grad;
  for (auto& item : part_->named_parameters()) {
    if (item.key().ends_with("weight")) item.value().copy_(at::eye(8));
  }
  const auto result = part_(x_, memory_, Mask::unmasked(), Pass{});
  const Pass inference;
  for (const std::int64_t head : {0, 1}) {
    const auto part = [&](const at::Tensor& x) { return x.narrow(-1, 4 * head, 4).unsqueeze(1); };
    const auto wanted = attention(part(x_), part(memory_), part(memory_), Mask::unmasked(), {inference, "site", 0});
    EXPECT_THAT(result.narrow(-1, 4 * head, 4), AllClose(wanted.squeeze(1), 1e-6));
  }
}

TEST_P(MultiHeadAttentionTest, QueryKeyValueAndOutputEachHaveTheirOwnWeights) {
  part_(x_, memory_, Mask::unmasked(), Pass{}).square().sum().backward();
  for (const auto& item : part_->named_parameters()) {
    if (item.key() == "key.bias") continue;  // adds the same to every score of a row
    EXPECT_GT(item.value().grad().abs().sum().item<float>(), 1e-3) << item.key();
  }
}

TEST_P(MultiHeadAttentionTest, RejectsOtherWidthsAndHeadsThatDoNotDivide) {
  EXPECT_THAT(
      [&] {
        part_(formula_tensor({2, 3, 4}, device()), memory_, Mask::unmasked(), Pass{});
      },
      ThrowsMessage<ShapeError>(HasSubstr("x: wanted [-1, -1, 8], got [2, 3, 4]")));
  EXPECT_THAT(
      [&] {
        part_(x_, formula_tensor({2, 3, 4}, device()), Mask::unmasked(), Pass{});
      },
      ThrowsMessage<ShapeError>(HasSubstr("memory: wanted [-1, -1, 8], got [2, 3, 4]")));
  EXPECT_THAT([] { MultiHeadAttention(8, 3, 0.0); },
              ThrowsMessage<ShapeError>(HasSubstr("attention: wanted heads that divide d_model 8, got 3")));
}

INSTANTIATE_DEVICES(MultiHeadAttentionTest);

}  // namespace
}  // namespace gloss
