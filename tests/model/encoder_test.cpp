#include "model/encoder.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "model/weights.h"
#include "tests/support/device_test.h"
#include "tests/support/recorded_operations.h"
#include "tests/support/small_model.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class EncoderTest : public DeviceTest {
 protected:
  static Encoder make(const ModelConfig& config = small_config()) {
    Encoder encoder(config);
    initialize(*encoder, RandomStream(1, "weights"));
    encoder->to(device());
    return encoder;
  }
};

TEST_P(EncoderTest, PermutingTheSourcePermutesTheOutput) {  // positions are added outside
  auto encoder = make();
  const auto x = formula_tensor({2, 5, 16}, device());
  const auto order = at::tensor({3, 0, 4, 1, 2}, at::kLong).to(device());
  EXPECT_THAT(encoder(x.index_select(1, order), Mask::unmasked(), Pass{}),
              AllClose(encoder(x, Mask::unmasked(), Pass{}).index_select(1, order), 1e-5));
}

TEST_P(EncoderTest, PaddingHasNoInfluence) {
  auto encoder = make();
  const auto x = formula_tensor({2, 5, 16}, device()).requires_grad_();
  encoder(x, Mask::padding({5, 3}), Pass{})[1].slice(0, 0, 3).square().sum().backward();
  EXPECT_THAT(x.grad()[1].slice(0, 3), SameAs(at::zeros({2, 16}, x.options())));
  EXPECT_THAT(x.grad()[0], SameAs(at::zeros({5, 16}, x.options())));  // nor is the neighbor
  EXPECT_GT(x.grad()[1].slice(0, 0, 3).abs().min().item<float>(), 0);
}

TEST_P(EncoderTest, PaddingIsATensorOnlyWhereAPathReadsIt) {
  auto encoder = make();
  const auto x = formula_tensor({2, 5, 16}, device());
  const auto makes_one = [&] {
    const RecordedOperations operations;
    encoder(x, Mask::padding({5, 3}), Pass{});
    return operations.has("aten::lt");
  };
  EXPECT_EQ(makes_one(), !device().is_cpu());
  const at::NoGradGuard no_grad;
  EXPECT_TRUE(makes_one());
}

TEST_P(EncoderTest, EveryPositionSeesEveryOther) {
  auto encoder = make();
  const auto x = formula_tensor({1, 5, 16}, device()).requires_grad_();
  encoder(x, Mask::unmasked(), Pass{})[0][2].square().sum().backward();
  EXPECT_GT(x.grad().abs().amax(-1).min().item<float>(), 0);
}

TEST_P(EncoderTest, FinalNormEndsTheStackWhereAskedFor) {
  for (const auto norm : {NormPlace::kPre, NormPlace::kPost}) {
    for (const bool final_norm : {true, false}) {
      auto config = small_config();
      config.norm = norm;
      config.final_norm = final_norm;
      auto encoder = make(config);
      EXPECT_EQ(encoder->named_parameters().contains("norm.weight"), final_norm);
      const auto y = encoder(formula_tensor({1, 5, 16}, device()), Mask::unmasked(), Pass{});
      const bool normed = final_norm || norm == NormPlace::kPost;
      EXPECT_EQ(y.mean(-1).abs().max().item<float>() < 1e-5, normed) << describe(config);
    }
  }
}

TEST_P(EncoderTest, RejectsAMaskThatDoesNotFitTheSource) {
  auto encoder = make();
  const auto x = formula_tensor({2, 5, 16}, device());
  EXPECT_THAT(
      [&] {
        encoder(x, Mask::padding({6, 6}), Pass{});
      },
      ThrowsMessage<ShapeError>(HasSubstr("mask: wanted lengths from 0 to 5, got 6")));
  EXPECT_THAT([&] { encoder(x, Mask::padding({3}), Pass{}); },
              ThrowsMessage<ShapeError>(HasSubstr("mask: wanted lengths of 2 sentences, got 1")));
}

INSTANTIATE_DEVICES(EncoderTest);

}  // namespace
}  // namespace gloss
