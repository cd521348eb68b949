#include "kernels/matrix_kernel.h"

#include <cstring>
#include <limits>

#include "tests/kernels/kernel_test.h"

namespace gloss::kernels {
namespace {

class TransposeKernelTest : public KernelTest {};

TEST_P(TransposeKernelTest, TransposesEveryElementAndWritesNothingElse) {
  for (const std::int64_t rows : {1, 3, 16, 17, 40}) {
    for (const std::int64_t columns : {1, 5, 16, 31, 64}) {
      const std::int64_t in_stride = columns + 2, out_stride = rows + 3;
      const auto in = formula_values(static_cast<std::size_t>(rows * in_stride));
      std::vector<float> out(static_cast<std::size_t>(columns * out_stride), 77.0F);
      kernels().transpose(in.data(), in_stride, rows, columns, out.data(), out_stride);
      for (std::int64_t j = 0; j < columns; ++j) {
        for (std::int64_t i = 0; i < out_stride; ++i) {
          ASSERT_EQ(out[static_cast<std::size_t>(j * out_stride + i)],
                    i < rows ? in[static_cast<std::size_t>(i * in_stride + j)] : 77.0F)
              << i << ", " << j << " of " << rows << " x " << columns;
        }
      }
    }
  }
}

INSTANTIATE_INSTRUCTION_SETS(TransposeKernelTest);

class ColumnSumsKernelTest : public KernelTest {};

TEST_P(ColumnSumsKernelTest, SumsEachColumnAndWritesNothingElse) {
  for (const std::int64_t rows : {0, 1, 13}) {
    for (const std::int64_t columns : {1, 7, 16, 64, 131}) {
      const auto in = formula_values(static_cast<std::size_t>(rows * (columns + 5)));
      std::vector<float> out(static_cast<std::size_t>(columns + 1), 77.0F);
      kernels().column_sums(in.data(), columns + 5, rows, columns, out.data());
      for (std::int64_t j = 0; j < columns; ++j) {
        double sum = 0;
        for (std::int64_t i = 0; i < rows; ++i) sum += in[static_cast<std::size_t>(i * (columns + 5) + j)];
        ASSERT_NEAR(out[static_cast<std::size_t>(j)], sum, 1e-5) << j << " of " << columns;
      }
      EXPECT_EQ(out.back(), 77.0F);
    }
  }
}

INSTANTIATE_INSTRUCTION_SETS(ColumnSumsKernelTest);

// The definition: the nearer of the two neighbors; ties to even.
Bfloat16Bits nearest(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  const std::uint32_t below = bits >> 16, rest = bits & 0xFFFF;
  return static_cast<Bfloat16Bits>(rest > 0x8000 || (rest == 0x8000 && below % 2 == 1) ? below + 1 : below);
}

class Bfloat16KernelTest : public KernelTest {
 protected:
  static std::vector<float> values(std::int64_t count) {
    auto some = formula_values(static_cast<std::size_t>(count), 0, 1e3F);
    const std::vector<float> odd = {0.0F,  -0.0F,  1.00390625F, 1.01171875F,
                                    3e38F, 1e-40F, -1e-3F};  // two of these are ties
    for (std::size_t i = 0; i < some.size() && i < odd.size(); ++i) some[i] = odd[i];
    return some;
  }
};

TEST_P(Bfloat16KernelTest, RoundsToNearestEvenAndPadsOddWidths) {
  for (const std::int64_t columns : {1, 2, 7, 16, 33, 64}) {
    const auto in = values(3 * (columns + 2));
    std::vector<Bfloat16Bits> out(static_cast<std::size_t>(3 * (columns + 3)), 7777);
    kernels().to_bfloat16(in.data(), columns + 2, 3, columns, out.data(), columns + 3);
    for (std::int64_t i = 0; i < 3; ++i) {
      const auto at = [&](std::int64_t j) { return out[static_cast<std::size_t>(i * (columns + 3) + j)]; };
      for (std::int64_t j = 0; j < columns; ++j)
        ASSERT_EQ(at(j), nearest(in[static_cast<std::size_t>(i * (columns + 2) + j)])) << i << ", " << j;
      if (columns % 2 == 1) {
        EXPECT_EQ(at(columns), 0);
      }
      EXPECT_EQ(at(columns + 2), 7777);
    }
  }
}

TEST_P(Bfloat16KernelTest, InterleavesTwoRows) {
  for (const std::int64_t rows : {1, 2, 5}) {
    for (const std::int64_t columns : {1, 7, 16, 40}) {
      const auto in = values(rows * (columns + 1));
      std::vector<Bfloat16Bits> out(static_cast<std::size_t>((rows + 1) / 2 * 2 * columns + 1), 7777);
      kernels().to_bfloat16_pairs(in.data(), columns + 1, rows, columns, out.data());
      for (std::int64_t i = 0; i < (rows + 1) / 2 * 2; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) {
          const auto expected = i < rows ? nearest(in[static_cast<std::size_t>(i * (columns + 1) + j)]) : 0;
          ASSERT_EQ(out[static_cast<std::size_t>((i / 2 * columns + j) * 2 + i % 2)], expected) << i << ", " << j;
        }
      }
      EXPECT_EQ(out.back(), 7777);
    }
  }
}

TEST_P(Bfloat16KernelTest, KeepsInfinityAndNaN) {
  std::uint32_t bits = 0x7F800001;  // NaN whose mantissa bits are all in the half that is cut off
  std::vector<float> in(20, std::numeric_limits<float>::infinity());
  std::memcpy(&in[3], &bits, sizeof bits);
  std::vector<Bfloat16Bits> out(20);
  kernels().to_bfloat16(in.data(), 20, 1, 20, out.data(), 20);
  EXPECT_EQ(out[0], 0x7F80);
  EXPECT_GT(out[3] & 0x7FFF, 0x7F80);
}

INSTANTIATE_INSTRUCTION_SETS(Bfloat16KernelTest);

}  // namespace

}  // namespace gloss::kernels
