#include "kernels/transpose_kernel.h"

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

}  // namespace
}  // namespace gloss::kernels
