#include "kernels/packed_product_kernel.h"

#include <algorithm>
#include <array>
#include <limits>

#include "tests/kernels/kernel_test.h"
#include "tests/kernels/packed_matrix.h"

namespace gloss::kernels {
namespace {

constexpr std::int64_t kGap = 3;  // the row stride exceeds the row length by this

struct Shape {
  std::int64_t rows, inner, columns;
};

class PackedProductKernelTest : public KernelTest {
 protected:
  static std::vector<float> values(std::int64_t count, int number) {
    return formula_values(static_cast<std::size_t>(count), number);
  }

  struct Operands {
    explicit Operands(const Shape& shape)
        : x(values(shape.rows * (shape.inner + kGap), 0)),
          weight(values(shape.inner * shape.columns, 1)),
          bias(values(shape.columns, 2)),
          before(values(shape.rows * (shape.columns + kGap), 3)) {}
    std::vector<float> x, weight, bias, before;
    PackedForTest packed() const { return {weight, bias, std::ssize(weight) / std::ssize(bias)}; }
  };

  // Computes rows `first` to `first + rows - 1`. Other elements keep their values.
  static std::vector<float> by_kernel(const Operands& of, const PackedForTest& packed, const Shape& shape,
                                      Finish finish, std::int64_t first, std::int64_t rows) {
    auto out = of.before;
    const auto in_stride = shape.inner + kGap, out_stride = shape.columns + kGap;
    kernels().packed_product({{of.x.data() + first * in_stride, in_stride},
                              rows,
                              packed.matrix(),
                              0,
                              packed.panels(),
                              {out.data() + first * out_stride, out_stride},
                              finish});
    return out;
  }

  static double by_definition(const Operands& of, const Shape& shape, Finish finish, std::int64_t row,
                              std::int64_t column) {
    double sum = of.bias[static_cast<std::size_t>(column)];
    for (std::int64_t k = 0; k < shape.inner; ++k) {
      sum += static_cast<double>(of.x[static_cast<std::size_t>(row * (shape.inner + kGap) + k)]) *
             of.weight[static_cast<std::size_t>(k * shape.columns + column)];
    }
    if (finish == Finish::kRelu) return std::max(0.0, sum);
    const auto position = static_cast<std::size_t>(row * (shape.columns + kGap) + column);
    return finish == Finish::kAdd ? of.before[position] + sum : sum;
  }

  template <typename Work>
  static void over_shapes(Work work) {
    for (const std::int64_t inner : {1, 5, 128, 130}) {
      for (const std::int64_t columns : {1, 63, 64, 65, 1000}) {
        for (const auto finish : {Finish::kStore, Finish::kRelu, Finish::kAdd}) {
          SCOPED_TRACE(std::to_string(inner) + " x " + std::to_string(columns) + ", finish " +
                       std::to_string(static_cast<int>(finish)));
          work(inner, columns, finish);
        }
      }
    }
  }
};

TEST_P(PackedProductKernelTest, EqualsTheDefinitionInDoublePrecisionAndWritesNothingElse) {
  over_shapes([](std::int64_t inner, std::int64_t columns, Finish finish) {
    const Shape shape{13, inner, columns};
    const Operands operands(shape);
    std::vector<double> expected;  // [13, columns]
    for (std::int64_t row = 0; row < 13; ++row) {
      for (std::int64_t column = 0; column < columns; ++column)
        expected.push_back(by_definition(operands, shape, finish, row, column));
    }
    const auto packed = operands.packed();
    for (std::int64_t rows = 1; rows <= 13; ++rows) {
      const auto out = by_kernel(operands, packed, shape, finish, 0, rows);
      const auto* got = out.data();
      const auto* before = operands.before.data();
      for (std::int64_t row = 0; row < 13; ++row, got += columns + kGap, before += columns + kGap) {
        const auto written = row < rows ? columns : 0;
        double worst = 0;
        for (std::int64_t column = 0; column < written; ++column) {
          const double error = std::abs(got[column] - expected[static_cast<std::size_t>(row * columns + column)]);
          worst = error <= worst ? worst : error;  // NaN propagates
        }
        ASSERT_LE(worst, 2e-5) << "row " << row << " of " << rows;
        ASSERT_TRUE(std::equal(got + written, got + columns + kGap, before + written)) << "written past row " << row;
      }
    }
  });
}

TEST_P(PackedProductKernelTest, BitsOfARowDoNotDependOnOtherRows) {
  over_shapes([](std::int64_t inner, std::int64_t columns, Finish finish) {
    const Shape shape{13, inner, columns};
    const Operands operands(shape);
    const auto packed = operands.packed();
    const auto together = by_kernel(operands, packed, shape, finish, 0, 13);
    for (std::int64_t first = 0; first < 13; ++first) {
      for (const std::int64_t rows : {std::int64_t{1}, 13 - first}) {
        const auto alone = by_kernel(operands, packed, shape, finish, first, rows);
        const auto begin = first * (columns + kGap), end = (first + rows) * (columns + kGap);
        ASSERT_TRUE(std::equal(alone.begin() + begin, alone.begin() + end, together.begin() + begin))
            << rows << " rows from " << first;
      }
    }
  });
}

TEST_P(PackedProductKernelTest, WritesOnlyTheGivenPanels) {
  const Shape shape{2, 5, 200};
  const Operands operands(shape);
  const auto packed = operands.packed();
  const auto whole = by_kernel(operands, packed, shape, Finish::kStore, 0, 2);
  auto out = operands.before;
  kernels().packed_product(
      {{operands.x.data(), 5 + kGap}, 2, packed.matrix(), 1, 3, {out.data(), 200 + kGap}, Finish::kStore});
  for (std::size_t row = 0; row < 2; ++row) {
    for (std::size_t column = 0; column < 200; ++column) {
      const auto position = row * (200 + kGap) + column;
      ASSERT_EQ(out[position], column >= 64 && column < 192 ? whole[position] : operands.before[position]) << column;
    }
  }
}

TEST_P(PackedProductKernelTest, NaNAndInfinityPropagate) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (const auto finish : {Finish::kStore, Finish::kRelu, Finish::kAdd}) {
      for (const std::int64_t columns : {7, 64}) {
        const Shape shape{8, 5, columns};
        Operands operands(shape);
        std::ranges::fill(operands.weight, 1.0F);  // so that infinity stays positive
        operands.x[static_cast<std::size_t>(3 * (5 + kGap) + 2)] = bad;
        const auto out = by_kernel(operands, operands.packed(), shape, finish, 0, 8);
        for (std::int64_t row = 0; row < 8; ++row) {
          for (std::int64_t column = 0; column < columns; ++column) {
            ASSERT_EQ(std::isfinite(out[static_cast<std::size_t>(row * (columns + kGap) + column)]), row != 3)
                << bad << ", finish " << static_cast<int>(finish) << ", row " << row << ", column " << column;
          }
        }
      }
    }
  }
}

// Integers whose largest size is 127 have the scale 1, so that the sums are the results.
TEST_P(PackedProductKernelTest, Int8SumsAreExactUpToTheLargestFactors) {
  for (const std::int64_t inner : {1, 2, 3, 4, 7, 128, 1000}) {
    const auto groups = groups_of(Precision::kInt8, inner);
    for (const int sign : {1, -1}) {
      // Columns of the largest weight, of the smallest, and of all.
      const auto weight = [](std::int64_t k, std::int64_t column) {
        constexpr std::array kLargest{127, -128};
        return column < 2 ? kLargest[static_cast<std::size_t>(column)] : static_cast<int>(k * 37 * column % 256) - 128;
      };
      const auto input = [&](std::int64_t row, std::int64_t k) {
        return sign * (row == 0 || k == 0 ? 127 : static_cast<int>(k * 53 * row % 255) - 127);
      };
      std::vector<std::int8_t> panel(static_cast<std::size_t>(groups * 4 * kPanelColumns));
      std::vector<std::int32_t> offsets(kPanelColumns);
      for (std::int64_t column = 0; column < kPanelColumns; ++column) {
        for (std::int64_t k = 0; k < inner; ++k) {
          panel[static_cast<std::size_t>((k / 4 * kPanelColumns + column) * 4 + k % 4)] =
              static_cast<std::int8_t>(weight(k, column));
          offsets[static_cast<std::size_t>(column)] += 128 * weight(k, column);
        }
      }
      const std::vector<float> bias(kPanelColumns), scales(kPanelColumns, 1.0F);
      for (std::int64_t rows = 1; rows <= 8; ++rows) {
        std::vector<float> x, out(static_cast<std::size_t>(rows * kPanelColumns));
        for (std::int64_t row = 0; row < rows; ++row)
          for (std::int64_t k = 0; k < inner; ++k) x.push_back(static_cast<float>(input(row, k)));
        std::vector<std::uint8_t> scratch(static_cast<std::size_t>(packed_scratch(Precision::kInt8, rows, inner)));
        const PackedMatrix matrix{Precision::kInt8, panel.data(), bias.data(),  scales.data(),
                                  offsets.data(),   inner,        kPanelColumns};
        kernels().packed_product(
            {{x.data(), inner}, rows, matrix, 0, 1, {out.data(), kPanelColumns}, Finish::kStore, scratch.data()});
        for (std::int64_t row = 0; row < rows; ++row) {
          for (std::int64_t column = 0; column < kPanelColumns; ++column) {
            std::int64_t sum = 0;
            for (std::int64_t k = 0; k < inner; ++k) sum += input(row, k) * weight(k, column);
            ASSERT_EQ(out[static_cast<std::size_t>(row * kPanelColumns + column)], static_cast<float>(sum))
                << inner << " terms, row " << row << " of " << rows << ", column " << column << ", sign " << sign;
          }
        }
      }
    }
  }
}

INSTANTIATE_INSTRUCTION_SETS(PackedProductKernelTest);

}  // namespace
}  // namespace gloss::kernels
