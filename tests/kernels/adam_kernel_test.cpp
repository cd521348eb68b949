#include "kernels/adam_kernel.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tests/kernels/kernel_test.h"

namespace gloss::kernels {
namespace {

constexpr float kGuard = 77;

class AdamKernelTest : public KernelTest {
 protected:
  // Returns `count` values and a guard value after them, which must not change.
  static std::vector<float> values(std::int64_t count, double phase, double size = 1) {
    std::vector<float> values;
    for (std::int64_t i = 0; i < count; ++i)
      values.push_back(static_cast<float>(size * std::sin(0.7 * static_cast<double>(i) + phase)));
    values.push_back(kGuard);
    return values;
  }
};

TEST_P(AdamKernelTest, EqualsTheDefinitionAtEveryLength) {
  const AdamNumbers n{.gradient_factor = 0.25F,
                      .one_minus_beta1 = 0.1F,
                      .beta2 = 0.98F,
                      .one_minus_beta2 = 0.02F,
                      .step_size = 0.01F,
                      .root_of_correction = 0.3F,
                      .epsilon = 1e-9F,
                      .ema_weight = 0.2F};
  for (std::int64_t count = 0; count < 70; ++count) {
    for (const bool with_ema : {true, false}) {
      const auto gradient = values(count, 1);
      auto parameter = values(count, 0), m = values(count, 2, 0.1), v = values(count, 3, 0.01), ema = values(count, 4);
      for (std::int64_t i = 0; i < count; ++i) v[static_cast<std::size_t>(i)] *= v[static_cast<std::size_t>(i)];
      auto expected_parameter = parameter, expected_m = m, expected_v = v, expected_ema = ema;
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        const double g = 0.25 * gradient[i];
        const double new_m = m[i] + 0.1 * (g - m[i]), new_v = 0.98 * v[i] + 0.02 * g * g;
        const double new_parameter = parameter[i] - 0.01 * new_m / (std::sqrt(new_v) / 0.3 + 1e-9);
        expected_m[i] = static_cast<float>(new_m);
        expected_v[i] = static_cast<float>(new_v);
        expected_parameter[i] = static_cast<float>(new_parameter);
        if (with_ema) expected_ema[i] = static_cast<float>(ema[i] + 0.2 * (new_parameter - ema[i]));
      }
      kernels().adam({parameter.data(), gradient.data(), m.data(), v.data(), with_ema ? ema.data() : nullptr, count},
                     n);
      for (std::size_t i = 0; i <= static_cast<std::size_t>(count); ++i) {
        ASSERT_NEAR(parameter[i], expected_parameter[i], 1e-6) << count << ", " << i;
        ASSERT_NEAR(m[i], expected_m[i], 1e-7) << count << ", " << i;
        ASSERT_NEAR(v[i], expected_v[i], 1e-7) << count << ", " << i;
        ASSERT_NEAR(ema[i], expected_ema[i], 1e-6) << count << ", " << i;
      }
    }
  }
}

TEST_P(AdamKernelTest, SumsSquaresInDoubleAtEveryLength) {
  for (std::int64_t count = 0; count < 150; ++count) {
    const auto some = values(count, 0.5, 1e25);  // their squares overflow float
    double expected = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      expected += static_cast<double>(some[i]) * static_cast<double>(some[i]);
    ASSERT_NEAR(kernels().sum_of_squares(some.data(), count), expected, 1e-14 * expected) << count;
  }
}

TEST_P(AdamKernelTest, SumWithNaNOrInfinityIsNotFinite) {
  for (const float broken : {std::nanf(""), HUGE_VALF})
    for (const std::size_t position : {0U, 40U, 99U}) {
      auto some = values(100, 0.5);
      some[position] = broken;
      EXPECT_FALSE(std::isfinite(kernels().sum_of_squares(some.data(), 100))) << position;
    }
}

INSTANTIATE_INSTRUCTION_SETS(AdamKernelTest);

}  // namespace
}  // namespace gloss::kernels
