#include "kernels/softmax_loss_kernel.h"

#include <algorithm>
#include <limits>

#include "tests/kernels/kernel_test.h"

namespace gloss::kernels {
namespace {

class SoftmaxLossKernelTest : public KernelTest {};

TEST_P(SoftmaxLossKernelTest, EqualsTheDefinitionInDoublePrecision) {
  for (const std::size_t V : {4, 5, 16, 33, 1003}) {
    for (const double epsilon : {0.0, 0.1}) {
      for (const float size : {0.5F, 30.0F}) {
        auto scores = formula_values(V, 0, size);
        const auto bias = formula_values(V, 1);
        std::vector<double> x(V);
        for (std::size_t j = 0; j < V; ++j) x[j] = scores[j] + bias[j];
        double sum = 0, mean = 0;
        for (const double value : x) sum += std::exp(value), mean += value / static_cast<double>(V);
        const double log_sum = std::log(sum);
        const std::size_t target = V / 2;

        auto bias_gradient = formula_values(V, 2);
        const auto before = bias_gradient;
        const auto loss = kernels().softmax_loss(scores.data(), bias.data(), static_cast<std::int64_t>(V),
                                                 static_cast<std::int64_t>(target), static_cast<float>(epsilon),
                                                 bias_gradient.data());
        EXPECT_NEAR(loss.nll, log_sum - x[target], 1e-5 * size);
        EXPECT_NEAR(loss.smoothed, (1 - epsilon) * (log_sum - x[target]) + epsilon * (log_sum - mean), 1e-5 * size);
        for (std::size_t j = 0; j < V; ++j) {
          const double probability = epsilon / static_cast<double>(V) + (j == target ? 1 - epsilon : 0);
          ASSERT_NEAR(scores[j], std::exp(x[j] - log_sum) - probability, 2e-6) << j << " of " << V;
          ASSERT_NEAR(bias_gradient[j] - before[j], scores[j], 3e-7) << j << " of " << V;
        }
      }
    }
  }
}

TEST_P(SoftmaxLossKernelTest, LossIsTheSameWithoutAGradient) {
  const auto bias = formula_values(77, 1);
  auto once = formula_values(77), again = once, gradient = bias;
  const auto with = kernels().softmax_loss(once.data(), bias.data(), 77, 3, 0.1F, gradient.data());
  const auto without = kernels().softmax_loss(again.data(), bias.data(), 77, 3, 0.1F, nullptr);
  EXPECT_EQ(with.nll, without.nll);
  EXPECT_EQ(with.smoothed, without.smoothed);
}

TEST_P(SoftmaxLossKernelTest, ExtremeScoresHaveNoWeightAndDoNotOverflow) {
  std::vector<float> scores(40, -3e4F), bias(40, 0.0F), gradient(40, 0.0F);
  scores[21] = 3e4F;
  const auto loss = kernels().softmax_loss(scores.data(), bias.data(), 40, 21, 0, gradient.data());
  EXPECT_EQ(loss.nll, 0);
  EXPECT_EQ(scores[0], 0);
  EXPECT_EQ(scores[21], 0);
}

TEST_P(SoftmaxLossKernelTest, NaNAndInfinityMakeLossNotFinite) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (const std::size_t position : {0, 15, 16, 34, 35}) {
      auto scores = formula_values(36);
      std::vector<float> bias(36, 0.0F), gradient(36, 0.0F);
      scores[position] = bad;
      EXPECT_FALSE(std::isfinite(kernels().softmax_loss(scores.data(), bias.data(), 36, 2, 0, gradient.data()).nll))
          << bad << " at " << position;
    }
  }
}

INSTANTIATE_INSTRUCTION_SETS(SoftmaxLossKernelTest);

}  // namespace
}  // namespace gloss::kernels
