#include "model/inference/packed_linear.h"

#include <vector>

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/model/inference/thread_count.h"
#include "tests/support/formula_tensor.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

LinearWeights weights(std::int64_t out, std::int64_t in, int number = 0) {
  return {formula_tensor({out, in}, at::kCPU, number), formula_tensor({out}, at::kCPU, number + 1)};
}

at::Tensor apply(const PackedLinear& packed, const at::Tensor& x) {
  auto y = at::empty({x.size(0), packed.out()});
  packed.apply({x.const_data_ptr<float>(), x.size(1)}, x.size(0), {y.mutable_data_ptr<float>(), y.size(1)});
  return y;
}

TEST(PackedLinearTest, EqualsTheLinearMap) {
  for (const std::int64_t out : {1, 63, 64, 65, 200}) {
    const auto of = weights(out, 37);
    const PackedLinear packed(of);
    EXPECT_EQ(packed.in(), 37);
    EXPECT_EQ(packed.out(), out);
    const auto x = formula_tensor({9, 37}, at::kCPU, 5);
    EXPECT_THAT(apply(packed, x), AllClose(at::linear(x, of.weight, of.bias), 1e-5));
  }
}

TEST(PackedLinearTest, SeveralMapsStandSideBySide) {
  const std::vector<LinearWeights> parts = {weights(3, 5), weights(70, 5, 2), weights(1, 5, 4)};
  const auto x = formula_tensor({4, 5}, at::kCPU, 9);
  std::vector<at::Tensor> wanted;
  for (const auto& part : parts) wanted.push_back(at::linear(x, part.weight, part.bias));
  EXPECT_THAT(apply(PackedLinear(parts), x), AllClose(at::cat(wanted, 1), 1e-5));
}

TEST(PackedLinearTest, AnotherLayoutOrTypeOfTheWeightIsTheSameMap) {
  const auto of = weights(20, 6);
  const auto x = formula_tensor({3, 6}, at::kCPU, 5);
  const auto wanted = apply(PackedLinear(of), x);
  const auto turned = of.weight.t().contiguous().t();
  EXPECT_TRUE(at::equal(apply(PackedLinear(LinearWeights{turned, of.bias}), x), wanted));
  EXPECT_TRUE(
      at::equal(apply(PackedLinear(LinearWeights{of.weight.to(at::kDouble), of.bias.to(at::kDouble)}), x), wanted));
}

TEST(PackedLinearTest, ItIsACopy) {
  const auto of = weights(20, 6);
  const auto x = formula_tensor({3, 6}, at::kCPU, 5);
  const PackedLinear packed(of);
  const auto before = apply(packed, x);
  of.weight.add_(1);
  of.bias.add_(1);
  EXPECT_TRUE(at::equal(apply(packed, x), before));
}

TEST(PackedLinearTest, BitsDependNeitherOnThreadsNorOnTheOtherRows) {
  const PackedLinear packed(weights(2000, 70));
  const auto x = formula_tensor({13, 70}, at::kCPU, 5);
  const ThreadCount one(1);
  const auto wanted = apply(packed, x);
  for (const int threads : {2, 3}) {
    const ThreadCount several(threads);
    EXPECT_TRUE(at::equal(apply(packed, x), wanted)) << threads;
    for (std::int64_t row = 0; row < 13; ++row)
      EXPECT_TRUE(at::equal(apply(packed, x.narrow(0, row, 1))[0], wanted[row])) << row;
  }
}

TEST(PackedLinearTest, NoRowsAreNoWork) {
  EXPECT_EQ(apply(PackedLinear(weights(70, 6)), at::zeros({0, 6})).numel(), 0);
}

TEST(PackedLinearTest, ShapesThatDoNotFitAreRefused) {
  const auto pack = [](const std::vector<LinearWeights>& parts) { return PackedLinear(parts); };
  EXPECT_THAT(
      [&] {
        pack({weights(3, 5), weights(3, 6)});
      },
      ThrowsMessage<ShapeError>(HasSubstr("weight: wanted [-1, 5], got [3, 6]")));
  EXPECT_THAT(
      [&] {
        pack({{at::zeros({3, 5}), at::zeros({4})}});
      },
      ThrowsMessage<ShapeError>(HasSubstr("bias: wanted [3], got [4]")));
  EXPECT_THAT([&] { pack({{at::zeros({3}), at::zeros({3})}}); }, ThrowsMessage<ShapeError>(HasSubstr("weight")));
  EXPECT_THAT([&] { pack({{at::Tensor(), at::zeros({3})}}); }, ThrowsMessage<ShapeError>(HasSubstr("weight")));
  EXPECT_THAT([&] { pack({}); }, ThrowsMessage<ShapeError>(HasSubstr("at least one")));
}

TEST(PackedLinearTest, AThreadTakesFewerPanelsTheMoreRowsThereAre) {
  const PackedLinear packed(weights(200, 64));
  EXPECT_EQ(panels_a_thread(packed.matrix(), 1), 64);
  EXPECT_EQ(panels_a_thread(packed.matrix(), 16), 4);
  EXPECT_EQ(panels_a_thread(packed.matrix(), 1000), 1);
  EXPECT_GE(panels_a_thread(packed.matrix(), 0), 1);
}

}  // namespace
}  // namespace gloss
