#include "kernels/dropout_kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/random.h"
#include "tests/kernels/kernel_test.h"

namespace gloss::kernels {
namespace {

using ::testing::Each;

// The definition, element by element.
std::vector<float> expected(const std::vector<float>& in, std::uint64_t first, const RandomStream& stream,
                            const DropoutMask& mask) {
  std::vector<float> out;
  for (std::size_t e = 0; e < in.size(); ++e) {
    out.push_back(stream.bits(first + e) < mask.threshold ? 0.0F : in[e] * mask.scale);
  }
  return out;
}

class DropoutKernelTest : public KernelTest {
 protected:
  std::vector<float> run(const std::vector<float>& in, std::uint64_t first, const DropoutMask& mask) const {
    std::vector<float> out(in.size() + 1, 77.0F);
    kernels().dropout(in.data(), out.data(), first, in.size(), mask);
    EXPECT_EQ(out.back(), 77.0F) << "written past the end";
    out.pop_back();
    return out;
  }

  const RandomStream stream_ = RandomStream(11, "kernel").at(1234567, 89);
  const DropoutMask mask_{{stream_.key()[0], stream_.key()[1]}, 1234567, 89, 0x40000000, 1 / 0.75F};
};

TEST_P(DropoutKernelTest, EqualsTheStreamBitForBitAtEveryLength) {
  for (std::size_t count = 0; count < 300; ++count) {
    std::vector<float> in(count);
    for (std::size_t e = 0; e < count; ++e) in[e] = std::sin(static_cast<float>(e) + 0.5F);
    ASSERT_EQ(run(in, 0, mask_), expected(in, 0, stream_, mask_)) << count;
  }
}

TEST_P(DropoutKernelTest, StartsAtAnyBlockAndCountsBeyond32Bits) {
  const std::vector<float> in(157, 1.5F);
  for (const std::uint64_t first : {std::uint64_t{4}, std::uint64_t{1} << 20, (std::uint64_t{1} << 34) - 64}) {
    EXPECT_EQ(run(in, first, mask_), expected(in, first, stream_, mask_)) << first;
  }
}

TEST_P(DropoutKernelTest, ComparesUnsigned) {
  const std::vector<float> in(256, 1.0F);
  auto mask = mask_;
  mask.threshold = 0xC0000000;
  EXPECT_EQ(run(in, 0, mask), expected(in, 0, stream_, mask));
}

TEST_P(DropoutKernelTest, ThresholdZeroKeepsAll) {
  auto mask = mask_;
  mask.threshold = 0;
  EXPECT_THAT(run(std::vector<float>(100, 2.0F), 0, mask), Each(2.0F * mask.scale));
}

TEST_P(DropoutKernelTest, DroppedElementIsZeroEvenIfNaN) {
  auto mask = mask_;
  mask.threshold = 0xFFFFFFFF;
  EXPECT_THAT(run(std::vector<float>(100, std::numeric_limits<float>::quiet_NaN()), 0, mask), Each(0.0F));
}

TEST_P(DropoutKernelTest, AddsKeptElementsToResidual) {
  for (const std::size_t count : {1, 64, 300}) {
    const auto in = formula_values(count), residual = formula_values(count, 1);
    std::vector<float> out(count);
    kernels().dropout_and_add(residual.data(), in.data(), out.data(), 8, count, mask_);
    const auto kept = expected(in, 8, stream_, mask_);
    for (std::size_t e = 0; e < count; ++e) ASSERT_NEAR(out[e], residual[e] + kept[e], 1e-6) << e;
  }
}

TEST_P(DropoutKernelTest, DropsAfterReluAndComputesGradientFromResult) {
  for (const std::size_t count : {1, 64, 300}) {
    const auto in = formula_values(count), gradient = formula_values(count, 1);
    auto rectified = in;
    for (float& x : rectified) x = std::max(x, 0.0F);
    auto values = in;
    kernels().relu_and_dropout(values.data(), 4, count, mask_);
    EXPECT_EQ(values, expected(rectified, 4, stream_, mask_));
    std::vector<float> result(count);
    kernels().relu_and_dropout_backward(values.data(), gradient.data(), result.data(), count, mask_.scale);
    const auto kept = expected(gradient, 4, stream_, mask_);
    for (std::size_t e = 0; e < count; ++e) ASSERT_EQ(result[e], in[e] > 0 ? kept[e] : 0.0F) << e;
  }
}

TEST_P(DropoutKernelTest, ReluPropagatesNaN) {
  auto mask = mask_;
  mask.threshold = 0;
  for (const std::size_t position : {3, 70}) {
    std::vector<float> values(72, -1.0F), gradient(72, 1.0F), result(72);
    values[position] = std::numeric_limits<float>::quiet_NaN();
    kernels().relu_and_dropout(values.data(), 0, values.size(), mask);
    EXPECT_TRUE(std::isnan(values[position])) << position;
    kernels().relu_and_dropout_backward(values.data(), gradient.data(), result.data(), values.size(), mask.scale);
    EXPECT_EQ(result[position], mask.scale) << position;
    EXPECT_EQ(result[0], 0) << position;
  }
}

INSTANTIATE_INSTRUCTION_SETS(DropoutKernelTest);

}  // namespace
}  // namespace gloss::kernels
