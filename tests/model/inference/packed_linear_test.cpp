#include "model/inference/packed_linear.h"

#include <cmath>
#include <string>
#include <vector>

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "kernels/kernel_table.h"
#include "model/storage/stored_weights.h"
#include "tensor/thread_count.h"
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

TEST(PackedLinearTest, EqualsTheLinearLayer) {
  for (const std::int64_t out : {1, 63, 64, 65, 200}) {
    const auto of = weights(out, 37);
    const PackedLinear packed(of);
    EXPECT_EQ(packed.in(), 37);
    EXPECT_EQ(packed.out(), out);
    const auto x = formula_tensor({9, 37}, at::kCPU, 5);
    EXPECT_THAT(apply(packed, x), AllClose(at::linear(x, of.weight.values, of.bias), 1e-5));
  }
}

TEST(PackedLinearTest, FusedLayersAreConcatenated) {
  const std::vector<LinearWeights> parts = {weights(3, 5), weights(70, 5, 2), weights(1, 5, 4)};
  const auto x = formula_tensor({4, 5}, at::kCPU, 9);
  std::vector<at::Tensor> expected;
  for (const auto& part : parts) expected.push_back(at::linear(x, part.weight.values, part.bias));
  EXPECT_THAT(apply(PackedLinear(parts), x), AllClose(at::cat(expected, 1), 1e-5));
}

TEST(PackedLinearTest, AcceptsOtherLayoutsAndTypesOfTheWeight) {
  const auto of = weights(20, 6);
  const auto x = formula_tensor({3, 6}, at::kCPU, 5);
  const auto expected = apply(PackedLinear(of), x);
  const auto turned = of.weight.values.t().contiguous().t();
  EXPECT_TRUE(at::equal(apply(PackedLinear(LinearWeights{turned, of.bias}), x), expected));
  EXPECT_TRUE(at::equal(
      apply(PackedLinear(LinearWeights{of.weight.values.to(at::kDouble), of.bias.to(at::kDouble)}), x), expected));
}

TEST(PackedLinearTest, IsACopy) {
  const auto of = weights(20, 6);
  const auto x = formula_tensor({3, 6}, at::kCPU, 5);
  const PackedLinear packed(of);
  const auto before = apply(packed, x);
  of.weight.values.add_(1);
  of.bias.add_(1);
  EXPECT_TRUE(at::equal(apply(packed, x), before));
}

TEST(PackedLinearTest, BitsDoNotDependOnThreadsOrOtherRows) {
  const PackedLinear packed(weights(2000, 70));
  const auto x = formula_tensor({13, 70}, at::kCPU, 5);
  const ThreadCount one(1);
  const auto expected = apply(packed, x);
  for (const int threads : {2, 3}) {
    const ThreadCount several(threads);
    EXPECT_TRUE(at::equal(apply(packed, x), expected)) << threads;
    for (std::int64_t row = 0; row < 13; ++row)
      EXPECT_TRUE(at::equal(apply(packed, x.narrow(0, row, 1))[0], expected[row])) << row;
  }
}

TEST(PackedLinearTest, AcceptsNoRows) { EXPECT_EQ(apply(PackedLinear(weights(70, 6)), at::zeros({0, 6})).numel(), 0); }

TEST(PackedLinearTest, MismatchedShapesAreRefused) {
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

TEST(PackedLinearTest, PanelsPerThreadDecreaseWithRows) {
  const PackedLinear packed(weights(200, 64));
  EXPECT_EQ(panels_a_thread(packed.matrix(), 1), 64);
  EXPECT_EQ(panels_a_thread(packed.matrix(), 16), 4);
  EXPECT_EQ(panels_a_thread(packed.matrix(), 1000), 1);
  EXPECT_GE(panels_a_thread(packed.matrix(), 0), 1);
}

TEST(PackedLinearPrecisionTest, FastPrecisionsDependOnTheInstructionSet) {
  using kernels::InstructionSet, kernels::Precision;
  EXPECT_TRUE(is_fast(Precision::kFloat32));
  EXPECT_EQ(is_fast(Precision::kInt8), kernels::active_instruction_set() >= InstructionSet::kAvx2);
  EXPECT_EQ(is_fast(Precision::kBfloat16), kernels::active_instruction_set() >= InstructionSet::kAvx512Bf16);
}

/// Returns x [M, in] times packed weights, by the kernel of every instruction set that this processor supports.
std::vector<at::Tensor> by_every_set(const PackedLinear& packed, const at::Tensor& x) {
  std::vector<at::Tensor> results;
  for (const auto set : kernels::kInstructionSets) {
    const auto* const table = kernels::kernel_table(set);
    if (table == nullptr) continue;
    const auto y = results.emplace_back(at::zeros({x.size(0), packed.out()}));
    const PackedScratch scratch(packed.matrix(), x.size(0));
    table->packed_product({{x.const_data_ptr<float>(), x.size(1)},
                           x.size(0),
                           packed.matrix(),
                           0,
                           kernels::panels_of(packed.out()),
                           {y.mutable_data_ptr<float>(), packed.out()},
                           kernels::Finish::kStore,
                           scratch.data()});
  }
  return results;
}

TEST(PackedLinearPrecisionTest, Int8MultipliesQuantizedOperands) {
  for (const std::int64_t in : {1, 4, 7, 128, 130})
    for (const std::int64_t rows : {1, 5, 6, 13}) {
      const auto of = weights(70, in);
      auto x = (formula_tensor({rows, in}) * 127).round_();
      x.select(1, 0).fill_(127);  // the largest value: the scale is 1 / 127 of it
      x /= 127;
      const auto expected =
          at::linear(x.to(at::kDouble), to_int8(of.weight.values).to_float().to(at::kDouble), of.bias.to(at::kDouble));
      for (const auto& y : by_every_set(PackedLinear(of, kernels::Precision::kInt8), x))
        EXPECT_THAT(y, AllClose(expected.to(at::kFloat), 1e-5)) << in << ", " << rows;
    }
}

TEST(PackedLinearPrecisionTest, Bfloat16MultipliesRoundedOperands) {
  const auto rounded = [](const at::Tensor& t) { return t.to(at::kBFloat16).to(at::kDouble); };
  for (const std::int64_t in : {1, 2, 7, 128, 130})
    for (const std::int64_t rows : {1, 5, 6, 13}) {
      const auto of = weights(70, in);
      const auto x = formula_tensor({rows, in});
      const auto expected = at::linear(rounded(x), rounded(of.weight.values), of.bias.to(at::kDouble));
      for (const auto& y : by_every_set(PackedLinear(of, kernels::Precision::kBfloat16), x))
        EXPECT_THAT(y, AllClose(expected.to(at::kFloat), 1e-5)) << in << ", " << rows;
    }
}

/// Returns the packed bytes of everything that a product reads.
std::vector<std::string> packed_bytes(const PackedLinear& packed) {
  const auto matrix = packed.matrix();
  const auto columns = kernels::panels_of(matrix.columns) * kernels::kPanelColumns;
  const auto weights = columns * kernels::groups_of(matrix.precision, matrix.inner) * 4;  // groups have 4 bytes
  const auto text = [](const void* data, std::int64_t bytes) {
    return data == nullptr ? "" : std::string(static_cast<const char*>(data), static_cast<std::size_t>(bytes));
  };
  return {text(matrix.panels, weights), text(matrix.bias, columns * 4), text(matrix.scales, columns * 4),
          text(matrix.offsets, columns * 4)};
}

TEST(PackedLinearPrecisionTest, StoredWeightsGiveTheBytesOfExpandedOnes) {
  for (const std::int64_t in : {1, 7, 64, 130}) {
    std::vector<LinearWeights> int8_parts, bfloat16_parts;
    for (const std::int64_t out : {70, 1, 1500, 64}) {  // more rows than are packed at a time, and no whole panels
      const auto of = weights(out, in, static_cast<int>(out));
      const auto [values, scales] = to_int8(of.weight.values);
      int8_parts.push_back({{values, scales}, of.bias});
      bfloat16_parts.push_back({of.weight.values.to(at::kBFloat16), of.bias});
    }
    for (const auto& stored : {int8_parts, bfloat16_parts}) {
      auto expanded = stored;
      for (auto& part : expanded) part.weight = part.weight.to_float();
      for (const auto precision :
           {kernels::Precision::kFloat32, kernels::Precision::kBfloat16, kernels::Precision::kInt8})
        EXPECT_EQ(packed_bytes(PackedLinear(stored, precision)), packed_bytes(PackedLinear(expanded, precision)));
    }
  }
}

TEST(PackedLinearPrecisionTest, BitsDoNotDependOnOtherRows) {
  for (const auto precision : {kernels::Precision::kBfloat16, kernels::Precision::kInt8}) {
    const PackedLinear packed(weights(100, 50), precision);
    const auto x = formula_tensor({9, 50});
    const auto together = apply(packed, x);
    for (std::int64_t row = 0; row < 9; ++row)
      EXPECT_TRUE(at::equal(apply(packed, x.narrow(0, row, 1).contiguous())[0], together[row])) << row;
  }
}

TEST(PackedLinearPrecisionTest, ZerosYieldTheBiasAndNaNPropagates) {
  for (const auto precision : {kernels::Precision::kBfloat16, kernels::Precision::kInt8}) {
    const auto of = weights(10, 6);
    const PackedLinear packed(of, precision);
    EXPECT_THAT(apply(packed, at::zeros({1, 6}))[0], SameAs(of.bias));
    auto x = at::ones({2, 6});
    x[1][3] = std::nanf("");
    const auto y = apply(packed, x);
    EXPECT_FALSE(y[0].isnan().any().item<bool>());
    EXPECT_TRUE(y[1].isnan().all().item<bool>());
  }
}

}  // namespace
}  // namespace gloss
