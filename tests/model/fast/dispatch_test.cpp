#include "model/fast/dispatch.h"

#include <memory>
#include <string>
#include <vector>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include "model/alternatives/scores.h"

namespace gloss {
namespace {

class Onlooker final : public Probe {
  void attention(std::string_view, at::Tensor&, const at::Tensor&) override {}
};

class DispatchTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kWidth = 12, kHeads = 2;

  bool has_heads(const at::Tensor& x, const at::Tensor& memory, const Mask& mask, const Pass& pass) const {
    const fast::AttentionMaps maps{map_, map_, map_, kHeads};
    return fast::concatenated_heads(*scores_, maps, x, memory, mask, {pass, "site", 0.3}).has_value();
  }
  bool has_heads(const Pass& pass) const { return has_heads(x_, x_, Mask::causal(), pass); }

  bool has_attention(const Pass& pass, double p) const {
    const auto heads = x_.view({1, 8, kHeads, kWidth / kHeads}).transpose(1, 2);
    return fast::attention(*scores_, heads, heads, heads, Mask::unmasked(), {pass, "site", p}).has_value();
  }

  const Linear map_{kWidth, kWidth};
  Scores scores_ = scaled_dot();
  const at::Tensor x_ = at::zeros({1, 8, kWidth}), weight_ = at::zeros({kWidth, kWidth}).requires_grad_(),
                   bias_ = at::zeros({kWidth});
  const RandomStream stream_ = RandomStream(1, "dropout").at(5, 2);
  const Pass training_{.training = true, .random = &stream_};
  const Pass plain_{.training = true, .random = &stream_, .plain = true};
};

TEST_F(DispatchTest, AllHeadsTogetherAreForUpdatesOfShortSentencesWithoutAProbe) {
  EXPECT_TRUE(has_heads(training_));
  EXPECT_TRUE(has_heads(x_, at::zeros({1, 512, kWidth}), Mask::padding({3}), training_));
  EXPECT_FALSE(has_heads(x_, at::zeros({1, 513, kWidth}), Mask::unmasked(), training_));
  const auto long_x = at::zeros({1, 513, kWidth});
  EXPECT_FALSE(has_heads(long_x, long_x, Mask::unmasked(), training_));
  const auto exact = x_.to(at::kDouble);
  EXPECT_FALSE(has_heads(exact, exact, Mask::unmasked(), training_));
  EXPECT_FALSE(has_heads(x_, x_, Mask::unmasked().hiding(at::zeros({1, 8}, at::kBool)), training_));
  Onlooker probe;
  EXPECT_FALSE(has_heads({.training = true, .random = &stream_, .probe = &probe}));
  const at::NoGradGuard no_grad;
  EXPECT_FALSE(has_heads(training_));
}

TEST_F(DispatchTest, OtherScoresHaveNoTwin) {
  scores_ = std::shared_ptr<ScoresImpl>(std::make_shared<DotScore>());
  EXPECT_FALSE(has_heads(training_));
  EXPECT_FALSE(has_attention(Pass{}, 0.3));
}

TEST_F(DispatchTest, FusedAttentionHoldsNoWeightsForAProbeNorForDropout) {
  EXPECT_TRUE(has_attention(Pass{}, 0.3));
  EXPECT_TRUE(has_attention(training_, 0));
  EXPECT_FALSE(has_attention(training_, 0.3));
  Onlooker probe;
  EXPECT_FALSE(has_attention({.probe = &probe}, 0));
}

TEST_F(DispatchTest, ReluAndDropoutTogetherAreForUpdatesThatDrop) {
  const auto has = [&](const at::Tensor& x, const at::Tensor& weight, double p, const Pass& pass) {
    return fast::linear_relu_dropout(x, weight, bias_, p, pass, "site").has_value();
  };
  EXPECT_TRUE(has(x_, weight_, 0.3, training_));
  EXPECT_FALSE(has(x_, weight_, 0, training_));
  EXPECT_FALSE(has(x_, weight_, 0.3, Pass{}));
  EXPECT_FALSE(has(x_, weight_.detach(), 0.3, training_));
  EXPECT_FALSE(has(x_.to(at::kDouble), weight_, 0.3, training_));
}

TEST_F(DispatchTest, DropoutHasAKernelForFloat32) {
  EXPECT_TRUE(fast::dropout(x_, 0.3, training_, "site"));
  EXPECT_FALSE(fast::dropout(x_.to(at::kDouble), 0.3, training_, "site"));
  EXPECT_TRUE(fast::dropout_and_add(x_, x_, 0.3, training_, "site"));
  EXPECT_FALSE(fast::dropout_and_add(x_.to(at::kDouble), x_, 0.3, training_, "site"));
  EXPECT_FALSE(fast::dropout_and_add(x_, x_, 0, training_, "site"));
  EXPECT_FALSE(fast::dropout_and_add(x_, x_, 0.3, Pass{}, "site"));
}

TEST_F(DispatchTest, APlainPassHasNoFastTwin) {
  EXPECT_FALSE(has_heads(plain_));
  EXPECT_FALSE(has_attention(plain_, 0));
  EXPECT_FALSE(fast::linear(x_, weight_, bias_, plain_));
  EXPECT_FALSE(fast::linear_relu_dropout(x_, weight_, bias_, 0.3, plain_, "site"));
  EXPECT_FALSE(fast::layer_norm(x_, bias_, bias_, 1e-5, plain_));
  EXPECT_FALSE(fast::dropout(x_, 0.3, plain_, "site"));
  EXPECT_FALSE(fast::dropout_and_add(x_, x_, 0.3, plain_, "site"));
}

}  // namespace
}  // namespace gloss
