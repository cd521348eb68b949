#include "model/inference/packed_linear.h"

#include <cmath>
#include <string>
#include <vector>

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
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
std::vector<at::Tensor> by_every_set(const kernels::PackedMatrix& matrix, const at::Tensor& x) {
  std::vector<at::Tensor> results;
  for (const auto set : kernels::kInstructionSets) {
    const auto* const table = kernels::kernel_table(set);
    if (table == nullptr) continue;
    const auto y = results.emplace_back(at::zeros({x.size(0), matrix.columns}));
    const PackedScratch scratch(matrix, x.size(0));
    table->packed_product({{x.const_data_ptr<float>(), x.size(1)},
                           x.size(0),
                           matrix,
                           0,
                           kernels::panels_of(matrix.columns),
                           {y.mutable_data_ptr<float>(), matrix.columns},
                           kernels::Finish::kStore,
                           scratch.data()});
  }
  return results;
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

TEST(PackedLinearPrecisionTest, Int8MultipliesQuantizedOperands) {
  for (const std::int64_t in : {1, 4, 7, 128, 130})
    for (const std::int64_t rows : {1, 5, 6, 13}) {
      const auto of = weights(70, in);
      auto x = (formula_tensor({rows, in}) * 127).round_();
      x.select(1, 0).fill_(127);  // the largest value: the scale is 1 / 127 of it
      x /= 127;
      const auto expected =
          at::linear(x.to(at::kDouble), to_int8(of.weight.values).to_float().to(at::kDouble), of.bias.to(at::kDouble));
      for (const auto& y : by_every_set(PackedLinear(of, kernels::Precision::kInt8).matrix(), x))
        EXPECT_THAT(y, AllClose(expected.to(at::kFloat), 1e-5)) << in << ", " << rows;
    }
}

// The weight is the identity and the scales are 1, so that the outputs are the quantized inputs times their step.
TEST(PackedLinearPrecisionTest, StoredInputScaleGivesTheNearestStepsUpToTheLimit) {
  constexpr std::int64_t kIn = 130;
  for (const float step : {0.0625F, 0.1F, 0.7F, 3e-38F, 1e36F}) {
    const auto halves = at::arange(-3 * kIn, 3 * kIn, at::kFloat).view({6, kIn}) / 2;  // ties among them
    const auto x = at::cat({halves * step, formula_tensor({1, kIn}) * 200 * step, at::full({1, kIn}, 3e38F),
                            at::full({1, kIn}, -0.0F), at::full({1, kIn}, -3e38F)});
    LinearWeights identity{{at::eye(kIn, at::kChar), at::ones({kIn})}, at::zeros({kIn})};
    identity.weight.input_scale = step;
    const auto steps = (x * (1 / step)).round_().clamp_(-127, 127);  // rounds ties to even
    for (const auto& y : by_every_set(PackedLinear(identity, kernels::Precision::kInt8).matrix(), x))
      EXPECT_TRUE(at::equal(y, steps * step)) << step;
    for (const auto precision : {kernels::Precision::kFloat32, kernels::Precision::kBfloat16}) {
      auto without = identity;
      without.weight.input_scale = 0;
      EXPECT_EQ(packed_bytes(PackedLinear(identity, precision)), packed_bytes(PackedLinear(without, precision)));
    }
  }
}

TEST(PackedLinearPrecisionTest, FusedLayersKeepTheirOwnInputScales) {
  std::vector<LinearWeights> parts;
  const auto x = formula_tensor({7, 37}, at::kCPU, 9);
  std::vector<at::Tensor> expected;
  for (const float scale : {0.01F, 0.01F, 0.02F, 0.0F, 0.0F, 0.01F}) {
    auto& part = parts.emplace_back(weights(50, 37, 2 * static_cast<int>(parts.size())));
    part.weight = to_int8(part.weight.values);
    part.weight.input_scale = scale;
    expected.push_back(apply(PackedLinear(part, kernels::Precision::kInt8), x));
  }
  EXPECT_FALSE(at::equal(expected[0], expected[2]));
  const PackedLinear packed(parts, kernels::Precision::kInt8);
  EXPECT_EQ(packed.out(), 300);
  EXPECT_TRUE(at::equal(apply(packed, x), at::cat(expected, 1)));
  PackedTensors kept;
  packed.keep("name", kept);
  const auto found = PackedLinear::find("name", kept, kernels::Precision::kInt8);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->out(), 300);
  EXPECT_TRUE(at::equal(apply(*found, x), at::cat(expected, 1)));

  parts.back() = weights(50, 36);
  EXPECT_THAT([&] { PackedLinear(parts, kernels::Precision::kInt8); },
              ThrowsMessage<ShapeError>(HasSubstr("[50, 36]")));
}

TEST(PackedLinearPrecisionTest, ListedOutputsHaveTheBitsOfTheLayer) {
  constexpr std::int64_t kOut = 300;
  for (const auto precision : {kernels::Precision::kFloat32, kernels::Precision::kBfloat16, kernels::Precision::kInt8})
    for (const std::int64_t in : {1, 2, 3, 5, 64, 66, 130}) {
      auto of = weights(kOut, in);
      of.weight = in_precision(of.weight, precision);
      of.weight.input_scale = in == 64 ? 0.01F : 0;
      const PackedLinear layer(of, precision);
      const auto x = formula_tensor({7, in}, at::kCPU, 5);
      for (const std::int64_t count : {1, 63, 64, 65, 150, 300}) {
        Ids ids;
        for (std::int64_t i = 0; i < count; ++i)
          ids.push_back(static_cast<Id>(i * kOut / count + (count < 300 ? i % 2 : 0)));
        const ListedOutputs listed(layer, of.weight.values, ids);
        const auto index = at::tensor(std::vector<std::int64_t>(ids.begin(), ids.end()));
        for (const std::int64_t rows : {1, 5, 7}) {
          const auto all = by_every_set(layer.matrix(), x.narrow(0, 0, rows)),
                     got = by_every_set(listed.matrix(), x.narrow(0, 0, rows));
          for (std::size_t set = 0; set < all.size(); ++set)
            EXPECT_TRUE(at::equal(got[set], all[set].index_select(1, index)))
                << in << " inputs, " << count << " outputs, " << rows << " rows, set " << set;
        }
      }
    }
}

TEST(PackedLinearPrecisionTest, ListedOutputsRequireRowsOfTheLayer) {
  const auto of = weights(10, 6);
  const PackedLinear layer(of);
  for (const auto& other :
       {at::zeros({10, 5}), at::zeros({9, 6}), at::zeros({10, 6}, at::kChar), at::zeros({6, 10}).t()})
    EXPECT_THAT([&] { ListedOutputs(layer, other, {3}); }, ThrowsMessage<ShapeError>(HasSubstr("weight")));
  for (const Id id : {-1, 10})
    EXPECT_THAT([&] { ListedOutputs(layer, of.weight.values, {id}); }, ThrowsMessage<ShapeError>(HasSubstr("ids")));
}

TEST(PackedLinearPrecisionTest, Bfloat16MultipliesRoundedOperands) {
  const auto rounded = [](const at::Tensor& t) { return t.to(at::kBFloat16).to(at::kDouble); };
  for (const std::int64_t in : {1, 2, 7, 128, 130})
    for (const std::int64_t rows : {1, 5, 6, 13}) {
      const auto of = weights(70, in);
      const auto x = formula_tensor({rows, in});
      const auto expected = at::linear(rounded(x), rounded(of.weight.values), of.bias.to(at::kDouble));
      for (const auto& y : by_every_set(PackedLinear(of, kernels::Precision::kBfloat16).matrix(), x))
        EXPECT_THAT(y, AllClose(expected.to(at::kFloat), 1e-5)) << in << ", " << rows;
    }
}

TEST(PackedLinearPrecisionTest, StoredWeightsGiveTheBytesOfExpandedOnes) {
  for (const std::int64_t in : {1, 7, 64, 130}) {
    std::vector<LinearWeights> int8_parts, bfloat16_parts;
    for (const std::int64_t out : {70, 1, 1500, 64}) {  // more rows than are packed at a time, and no whole panels
      const auto of = weights(out, in, static_cast<int>(out));
      int8_parts.push_back({to_int8(of.weight.values), of.bias});
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
  for (const auto& [precision, input_scale] :
       {std::pair(kernels::Precision::kBfloat16, 0.0F), std::pair(kernels::Precision::kInt8, 0.0F),
        std::pair(kernels::Precision::kInt8, 0.5F)}) {
    auto of = weights(10, 6);
    if (precision == kernels::Precision::kInt8) of.weight = to_int8(of.weight.values);
    of.weight.input_scale = input_scale;
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
