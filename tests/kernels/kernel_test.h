#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/kernel_table.h"

namespace gloss::kernels {

/// Base of tests that run once for each instruction set that this processor supports.
class KernelTest : public ::testing::TestWithParam<InstructionSet> {
 protected:
  void SetUp() override {
    if (!is_supported(GetParam())) GTEST_SKIP() << "this processor lacks the instruction set";
  }

  static const KernelTable& kernels() { return *kernel_table(GetParam()); }
};

/// Returns `count` values in (-size, size) from a formula. Each `number` gives another sequence.
inline std::vector<float> formula_values(std::size_t count, int number = 0, float size = 1) {
  std::vector<float> values(count);
  for (std::size_t e = 0; e < count; ++e)
    values[e] = size * static_cast<float>(std::sin(12.9898 * static_cast<double>(e) + 78.233 * (number + 1)));
  return values;
}

inline std::string test_name(const ::testing::TestParamInfo<InstructionSet>& set) {
  constexpr std::array kNames{"Generic", "Avx2", "Avx512", "Avx512Vnni", "Avx512Bf16"};
  return kNames[static_cast<std::size_t>(set.param)];
}

/// Instantiates a suite derived from KernelTest.
#define INSTANTIATE_INSTRUCTION_SETS(Suite) \
  INSTANTIATE_TEST_SUITE_P(InstructionSets, Suite, ::testing::ValuesIn(kInstructionSets), test_name)

}  // namespace gloss::kernels
