#include "model/decoder.h"

#include <ATen/core/grad_mode.h>
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

class DecoderTest : public DeviceTest {
 protected:
  DecoderTest() {
    initialize(*decoder_, RandomStream(1, "weights"));
    decoder_->to(device());
    set_sites(*decoder_);
  }

  Decoder decoder_{small_config()};
  const at::Tensor x_ = formula_tensor({2, 6, 16}, device()).requires_grad_();
  const at::Tensor memory_ = formula_tensor({2, 4, 16}, device(), 1).requires_grad_();
  const Memory source_{memory_, Mask::padding({4, 2})};
};

TEST_P(DecoderTest, NoPositionSeesALaterOne) {
  decoder_(x_, source_, Pass{}).select(1, 2).square().sum().backward();
  EXPECT_THAT(x_.grad().slice(1, 3), SameAs(at::zeros({2, 3, 16}, x_.options())));
  EXPECT_GT(x_.grad().slice(1, 0, 3).abs().amax(-1).min().item<float>(), 0);
}

TEST_P(DecoderTest, PaddedMemoryHasNoInfluence) {
  decoder_(x_, source_, Pass{}).square().sum().backward();
  EXPECT_THAT(memory_.grad()[1].slice(0, 2), SameAs(at::zeros({2, 16}, x_.options())));
  EXPECT_GT(memory_.grad()[0].abs().amax(-1).min().item<float>(), 0);
  EXPECT_GT(memory_.grad()[1].slice(0, 0, 2).abs().amax(-1).min().item<float>(), 0);
}

TEST_P(DecoderTest, StepsEqualTheWholeAtOnce) {
  const at::NoGradGuard no_grad;
  const auto whole = decoder_(x_, source_, Pass{});
  auto cache = decoder_->start(source_, Pass{});
  for (std::int64_t t = 0; t < 6; ++t) {
    EXPECT_EQ(cache.position, t);
    EXPECT_THAT(decoder_->step(x_.narrow(1, t, 1), cache, Pass{}), AllClose(whole.narrow(1, t, 1), 1e-5)) << t;
  }
}

// Causality is one where weights are dropped by the equation, the source's padding one in fused attention too.
TEST_P(DecoderTest, MasksAreTensorsOnlyWhereSomethingReadsThem) {
  const RandomStream stream(1, "dropout");
  const auto expect_tensors = [&](bool training, bool causal, bool padding) {
    const RecordedOperations operations;
    decoder_(x_, source_, Pass{.training = training, .random = &stream});
    EXPECT_EQ(operations.has("aten::tril"), causal) << training;
    EXPECT_EQ(operations.has("aten::lt"), padding) << training;
  };
  for (const bool training : {false, true}) expect_tensors(training, false, !device().is_cpu());
  const at::NoGradGuard no_grad;
  expect_tensors(false, false, true);
  expect_tensors(true, device().is_cpu(), true);
}

TEST_P(DecoderTest, RejectsAMaskThatDoesNotFitTheMemory) {
  EXPECT_THAT(
      [&] {
        decoder_(x_, Memory{memory_, Mask::padding({5, 5})}, Pass{});
      },
      ThrowsMessage<ShapeError>(HasSubstr("mask: wanted lengths from 0 to 4, got 5")));
  EXPECT_THAT(
      [&] {
        decoder_->start(Memory{memory_, Mask::padding({4, 4, 4})}, Pass{});
      },
      ThrowsMessage<ShapeError>(HasSubstr("mask: wanted lengths of 2 sentences, got 3")));
}

TEST_P(DecoderTest, RejectsAMemoryOfAnotherBatchAndStepsOfAnotherWidth) {
  EXPECT_THROW(decoder_(x_, Memory{formula_tensor({3, 4, 16}, device()), Mask::unmasked()}, Pass{}), ShapeError);
  auto cache = decoder_->start(source_, Pass{});
  EXPECT_THROW(decoder_->step(formula_tensor({3, 1, 16}, device()), cache, Pass{}), ShapeError);
}

INSTANTIATE_DEVICES(DecoderTest);

}  // namespace
}  // namespace gloss
