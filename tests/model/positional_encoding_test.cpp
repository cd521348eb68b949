#include "model/positional_encoding.h"

#include <cmath>
#include <thread>
#include <vector>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/stack.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "model/alternatives/positions.h"
#include "tests/support/device_test.h"
#include "tests/support/formula_tensor.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::int64_t kWidth = 16;

class PositionalEncodingTest : public DeviceTest {
 protected:
  static at::Tensor positions(std::int64_t first, std::int64_t count) {
    return PositionalEncoding(kWidth)(first, count, device());
  }
};

TEST_P(PositionalEncodingTest, IsSineAndCosineSideBySide) {
  const auto table = positions(0, 4).to(at::kCPU);
  for (std::int64_t t = 0; t < 4; ++t) {
    for (std::int64_t i = 0; i < kWidth / 2; ++i) {
      const double angle = static_cast<double>(t) / std::pow(10000.0, 2.0 * static_cast<double>(i) / kWidth);
      EXPECT_FLOAT_EQ(table[t][2 * i].item<float>(), static_cast<float>(std::sin(angle)));
      EXPECT_FLOAT_EQ(table[t][2 * i + 1].item<float>(), static_cast<float>(std::cos(angle)));
    }
  }
}

TEST_P(PositionalEncodingTest, FrequenciesOfTensor2TensorEndAtOneTenThousandth) {
  using enum PositionFrequencies;
  const auto row = sinusoids(1, 1, 4, kTensor2Tensor)[0];
  for (const auto& [column, wanted] :
       {std::pair{0, std::sin(1.0)}, {1, std::cos(1.0)}, {2, std::sin(1e-4)}, {3, std::cos(1e-4)}})
    EXPECT_FLOAT_EQ(row[column].item<float>(), static_cast<float>(wanted)) << column;
  EXPECT_FLOAT_EQ(sinusoids(1, 1, 4, kPaper)[0][2].item<float>(), static_cast<float>(std::sin(0.01)));
  EXPECT_FLOAT_EQ(sinusoids(3, 1, 2, kTensor2Tensor)[0][0].item<float>(), static_cast<float>(std::sin(3.0)));
}

TEST_P(PositionalEncodingTest, TheFirstTokenCanHaveAnotherPosition) {
  PositionalEncoding encoding(kWidth, PositionFrequencies::kTensor2Tensor, 2);
  const auto wanted = [&](std::int64_t first, std::int64_t count) {
    return sinusoids(first, count, kWidth, PositionFrequencies::kTensor2Tensor).to(device());
  };
  EXPECT_THAT(encoding(0, 5, device()), SameAs(wanted(2, 5)));
  EXPECT_THAT(encoding(1000, 3, device()), SameAs(wanted(1002, 3)));
}

TEST_P(PositionalEncodingTest, ValuesAreWithinOneAndTheNormIsTheRootOfHalfTheWidth) {
  const auto table = positions(0, 3000);
  EXPECT_LE(table.abs().max().item<float>(), 1);
  EXPECT_THAT(table.norm(2, -1), AllClose(at::full({3000}, std::sqrt(kWidth / 2.0), table.options()), 1e-6));
}

TEST_P(PositionalEncodingTest, ProductOfTwoPositionsDependsOnTheirDistanceAlone) {
  const auto table = positions(0, 200).to(at::kDouble);
  const auto products = table.matmul(table.t()).to(at::kCPU);  // [t, t']
  for (const std::int64_t k : {1, 2, 7, 31, 100}) {
    const auto ahead = products.diagonal(k);
    EXPECT_THAT(ahead, AllClose(at::full_like(ahead, products[0][k].item<double>()), 1e-5)) << k;
    EXPECT_THAT(products.diagonal(-k), AllClose(ahead, 1e-12)) << k;
  }
  EXPECT_LT(products[0][1].item<double>(), products[0][0].item<double>() - 0.1);  // and does depend on it
}

// By k positions on is a rotation of each (sine, cosine) by an angle that position k itself says.
TEST_P(PositionalEncodingTest, ShiftIsALinearMapThatDependsOnTheShiftAlone) {
  const auto pairs = positions(0, 300).to(at::kDouble).view({300, kWidth / 2, 2});
  const auto sine = pairs.select(-1, 0), cosine = pairs.select(-1, 1);  // [t, D / 2]
  for (const std::int64_t k : {1, 5, 40}) {
    const auto shifted = at::stack({sine * cosine[k] + cosine * sine[k], cosine * cosine[k] - sine * sine[k]}, -1);
    EXPECT_THAT(shifted.slice(0, 0, 300 - k), AllClose(pairs.slice(0, k), 1e-6)) << k;
  }
}

TEST_P(PositionalEncodingTest, HasNoLastPositionAndDoesNotDependOnWhatWasAskedBefore) {
  PositionalEncoding part(kWidth);
  EXPECT_FALSE(part->limit());
  const auto early = part(3, 5, device());
  const auto far = part(99990, 20, device());
  EXPECT_THAT(far, SameAs(sinusoids(99990, 20, kWidth).to(device())));
  EXPECT_THAT(part(3, 5, device()), SameAs(early));
  EXPECT_THAT(early, SameAs(sinusoids(3, 5, kWidth).to(device())));
}

TEST_P(PositionalEncodingTest, ThreadsMayShareOne) {
  PositionalEncoding part(kWidth);
  std::vector<at::Tensor> seen(8);
  std::vector<std::thread> threads;
  for (std::int64_t i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] { seen[static_cast<std::size_t>(i)] = part(200 * i, 300, device()); });
  }
  for (auto& thread : threads) thread.join();
  for (std::int64_t i = 0; i < 8; ++i) {
    EXPECT_THAT(seen[static_cast<std::size_t>(i)], SameAs(sinusoids(200 * i, 300, kWidth).to(device())));
  }
}

TEST_P(PositionalEncodingTest, LearnedOnesAreRowsOfTheWeightAndEnd) {
  LearnedPositions part(kWidth, 10);
  part.to(device());
  {
    const at::NoGradGuard no_grad;
    part.named_parameters()["weight"].copy_(formula_tensor({10, kWidth}));
  }
  EXPECT_EQ(part.limit(), 10);
  const auto rows = part.forward(7, 3, device());
  EXPECT_THAT(rows, SameAs(formula_tensor({10, kWidth}, device()).narrow(0, 7, 3)));
  rows.sum().backward();
  EXPECT_EQ(part.named_parameters()["weight"].grad().sum().item<float>(), 3 * kWidth);
  EXPECT_THAT([&] { part.forward(7, 4, device()); }, ThrowsMessage<UsageError>(HasSubstr("wanted at most 10")));
}

INSTANTIATE_DEVICES(PositionalEncodingTest);

}  // namespace
}  // namespace gloss
