#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/kernel_table.h"

namespace gloss::kernels {

/// A test that runs once for each instruction set that this processor has.
class KernelTest : public ::testing::TestWithParam<InstructionSet> {
 protected:
  void SetUp() override {
    if (!is_supported(GetParam())) GTEST_SKIP() << "this processor does not have the instructions";
  }

  static const KernelTable& kernels() { return *kernel_table(GetParam()); }
};

/// Values in (-size, size) from a formula; `number` tells the arrays of one test apart.
inline std::vector<float> formula_values(std::size_t count, int number = 0, float size = 1) {
  std::vector<float> values(count);
  for (std::size_t e = 0; e < count; ++e)
    values[e] = size * static_cast<float>(std::sin(12.9898 * static_cast<double>(e) + 78.233 * (number + 1)));
  return values;
}

inline std::string name_of(const ::testing::TestParamInfo<InstructionSet>& set) {
  constexpr std::array kNames{"Plain", "Avx2", "Avx512", "Avx512Vnni", "Avx512Bf16"};
  return kNames[static_cast<std::size_t>(set.param)];
}

/// Makes the tests of a suite derived from KernelTest.
#define INSTANTIATE_INSTRUCTION_SETS(Suite) \
  INSTANTIATE_TEST_SUITE_P(InstructionSets, Suite, ::testing::ValuesIn(kInstructionSets), name_of)

}  // namespace gloss::kernels
