#include "model/attention.h"

#include <cmath>

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
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

// Keeps the weights it saw, and switches off one head where told to.
class WeightProbe final : public Probe {
 public:
  explicit WeightProbe(std::int64_t head_off = -1) : head_off_(head_off) {}
  void attention(std::string_view site, at::Tensor& weights, const at::Tensor&) override {
    site_ = site;
    weights_ = weights.clone();
    if (head_off_ >= 0) weights.select(1, head_off_).zero_();
  }

  std::string site_;
  at::Tensor weights_;

 private:
  std::int64_t head_off_;
};

class AttentionTest : public DeviceTest {
 protected:
  const Pass inference_{};
  const AttentionContext context_{inference_, "site", 0};
};

TEST_P(AttentionTest, QueryThatSeesNothingGetsZerosAndNoGradient) {
  const auto x = formula_tensor({2, 2, 3, 4}, device()).requires_grad_();
  const auto result = attention(x, x, x, Mask::padding({0, 3}), context_);
  EXPECT_THAT(result[0], SameAs(at::zeros_like(x[0])));
  result.sum().backward();
  EXPECT_THAT(x.grad()[0], SameAs(at::zeros_like(x[0])));
  EXPECT_GT(x.grad()[1].abs().sum().item<float>(), 0);
}

TEST_P(AttentionTest, NoPositionSeesALaterOne) {
  auto x = formula_tensor({1, 1, 5, 4}, device()).requires_grad_();
  attention(x, x, x, Mask::causal(), context_).select(2, 2).sum().backward();
  EXPECT_THAT(x.grad().slice(2, 3), SameAs(at::zeros({1, 1, 2, 4}, x.options())));
  EXPECT_GT(x.grad().slice(2, 0, 3).abs().min().item<float>(), 0);
}

TEST_P(AttentionTest, WeightsOfARowAddUpToOneAndHiddenOnesAreZero) {
  const auto x = formula_tensor({2, 3, 4, 8}, device());
  WeightProbe probe;
  const Pass pass{.probe = &probe};
  attention(x, x, x, Mask::causal({4, 2}), {pass, "decoder.layers.0.self_attention", 0});
  EXPECT_EQ(probe.site_, "decoder.layers.0.self_attention");
  EXPECT_THAT(probe.weights_.sum(-1), AllClose(at::ones({2, 3, 4}, x.options()), 1e-6));
  EXPECT_THAT(probe.weights_.triu(1), SameAs(at::zeros({2, 3, 4, 4}, x.options())));
  EXPECT_THAT(probe.weights_[1].slice(-1, 2), SameAs(at::zeros({3, 4, 2}, x.options())));
}

TEST_P(AttentionTest, ProbeCanSwitchOffAHead) {
  const auto x = formula_tensor({2, 3, 4, 8}, device());
  WeightProbe probe(1);
  const Pass pass{.probe = &probe};
  const auto result = attention(x, x, x, Mask::unmasked(), {pass, "site", 0});
  const auto whole = attention(x, x, x, Mask::unmasked(), context_);
  EXPECT_THAT(result.select(1, 1), SameAs(at::zeros({2, 4, 8}, x.options())));
  EXPECT_THAT(result.select(1, 2), SameAs(whole.select(1, 2)));
}

TEST_P(AttentionTest, EqualKeysAreEquallyAttended) {
  const auto query = formula_tensor({1, 1, 2, 4}, device()), value = formula_tensor({1, 1, 3, 4}, device(), 1);
  const auto result = attention(query, at::ones({1, 1, 3, 4}, query.options()), value, Mask::unmasked(), context_);
  EXPECT_THAT(result, AllClose(value.mean(2, true).expand_as(result), 1e-6));
}

// Section 3.2.1, footnote 4: why scores are divided by sqrt(d_k).
TEST_P(AttentionTest, ScoresOfUnitVectorsHaveVarianceOfTheirWidthAndOneAfterScaling) {
  constexpr std::int64_t kWidth = 64, kPairs = 20000;
  const RandomStream stream(3, "unit variance");
  const auto draw = [&](std::uint64_t offset) {
    auto x = at::empty({kPairs, kWidth});
    auto* out = x.mutable_data_ptr<float>();
    for (std::int64_t e = 0; e < x.numel(); ++e) out[e] = static_cast<float>(stream.normal(2 * e + offset));
    return x.to(device());
  };
  const auto products = (draw(0) * draw(1)).sum(-1);
  EXPECT_NEAR(products.var().item<double>(), kWidth, 0.05 * kWidth);

  // The weights of two keys give the scaled difference of their scores back.
  const auto query = draw(0).view({kPairs, 1, 1, kWidth});
  const auto key = at::stack({draw(1).view({kPairs, 1, kWidth}), at::zeros({kPairs, 1, kWidth}, query.options())}, 2);
  WeightProbe probe;
  const Pass pass{.probe = &probe};
  attention(query, key, key, Mask::unmasked(), {pass, "site", 0});
  const auto weights = probe.weights_.view({kPairs, 2});
  const auto scores = (weights.select(1, 0) / weights.select(1, 1)).log();
  EXPECT_NEAR(scores.var().item<double>(), 1, 0.05);
}

TEST_P(AttentionTest, WeightsAreDroppedWhileTraining) {
  const RandomStream stream(5, "dropout");
  const Pass training{.training = true, .random = &stream};
  const auto query = formula_tensor({1, 2, 16, 8}, device()), ones = at::ones({1, 2, 16, 8}, query.options());
  const auto sums =
      attention(query, ones, ones, Mask::unmasked(), {training, "site", 0.5});  // what is kept of each row
  EXPECT_GT(sums.std().item<double>(), 0.05);
  EXPECT_NEAR(sums.mean().item<double>(), 1, 0.2);
  EXPECT_THAT(attention(query, ones, ones, Mask::unmasked(), {inference_, "site", 0.5}), AllClose(ones, 1e-6));
}

TEST_P(AttentionTest, RejectsKeysOfAnotherWidth) {
  const auto q = formula_tensor({1, 2, 3, 4}, device()), k = formula_tensor({1, 2, 3, 8}, device());
  EXPECT_THAT([&] { attention(q, k, k, Mask::unmasked(), context_); },
              ThrowsMessage<ShapeError>(HasSubstr("key: wanted [1, 2, -1, 4], got [1, 2, 3, 8]")));
  EXPECT_THAT([&] { attention(q, q, k, Mask::unmasked(), context_); },
              ThrowsMessage<ShapeError>(HasSubstr("value: wanted [1, 2, 3, 4], got [1, 2, 3, 8]")));
}

// Lengths beyond S hide nothing, those of one sentence would be taken for all.
TEST_P(AttentionTest, RejectsAMaskOfOtherSentencesOrKeys) {
  const auto x = formula_tensor({2, 1, 3, 4}, device());
  const auto attend = [&](const Mask& mask) { attention(x, x, x, mask, context_); };
  EXPECT_THAT(
      [&] {
        attend(Mask::padding({3, 9}));
      },
      ThrowsMessage<ShapeError>(HasSubstr("mask: wanted lengths from 0 to 3, got 9")));
  EXPECT_THAT([&] { attend(Mask::padding({2})); },
              ThrowsMessage<ShapeError>(HasSubstr("mask: wanted lengths of 2 sentences, got 1")));
}

INSTANTIATE_DEVICES(AttentionTest);

}  // namespace
}  // namespace gloss
