#include "kernels/column_sums_kernel.h"

#include "tests/kernels/kernel_test.h"

namespace gloss::kernels {
namespace {

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

}  // namespace
}  // namespace gloss::kernels
