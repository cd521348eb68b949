#include "kernels/layer_norm_kernel.h"

#include <limits>

#include "tests/kernels/kernel_test.h"

namespace gloss::kernels {
namespace {

class LayerNormKernelTest : public KernelTest {
 protected:
  static std::vector<float> by_kernel(std::vector<float> x, const std::vector<float>& weight,
                                      const std::vector<float>& bias, bool in_place) {
    const NormWeights weights{weight.data(), bias.data(), static_cast<std::int64_t>(x.size()), 1e-5F};
    if (!in_place) {
      std::vector<float> out(x.size(), 77.0F);
      kernels().layer_norm(x.data(), weights, out.data());
      return out;
    }
    kernels().layer_norm(x.data(), weights, x.data());
    return x;
  }
};

TEST_P(LayerNormKernelTest, EqualsTheDefinitionInDoublePrecision) {
  for (const std::size_t width : {1, 2, 5, 15, 16, 17, 64, 80, 130, 512, 1003}) {
    for (const float size : {0.01F, 1.0F, 100.0F}) {
      auto x = formula_values(width, 0, size);
      for (auto& value : x) value += size;  // so that the mean is not 0
      const auto weight = formula_values(width, 1), bias = formula_values(width, 2);
      double mean = 0, variance = 0;
      for (const double value : x) mean += value / static_cast<double>(width);
      for (const double value : x) variance += (value - mean) * (value - mean) / static_cast<double>(width);
      const auto out = by_kernel(x, weight, bias, false);
      for (std::size_t j = 0; j < width; ++j)
        ASSERT_NEAR(out[j], (x[j] - mean) / std::sqrt(variance + 1e-5) * weight[j] + bias[j], 5e-6)
            << j << " of " << width << ", size " << size;
      EXPECT_EQ(by_kernel(x, weight, bias, true), out);
    }
  }
}

TEST_P(LayerNormKernelTest, RowOfEqualValuesYieldsBias) {
  const auto bias = formula_values(37, 2);
  EXPECT_EQ(by_kernel(std::vector<float>(37, 0.5F), formula_values(37, 1), bias, false), bias);
}

TEST_P(LayerNormKernelTest, NaNAndInfinityPropagate) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (const std::size_t position : {0, 15, 16, 34}) {
      auto x = formula_values(35);
      x[position] = bad;
      for (const float value : by_kernel(x, formula_values(35, 1), formula_values(35, 2), false))
        ASSERT_TRUE(std::isnan(value)) << bad << " at " << position;
    }
  }
}

INSTANTIATE_INSTRUCTION_SETS(LayerNormKernelTest);

}  // namespace
}  // namespace gloss::kernels
