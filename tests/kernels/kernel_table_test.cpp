#include "kernels/kernel_table.h"

#include <gtest/gtest.h>

namespace gloss::kernels {
namespace {

TEST(KernelTable, IsOfTheBestSetThatTheProcessorHas) {
  auto best = InstructionSet::kPlain;
  for (const auto set :
       {InstructionSet::kAvx2, InstructionSet::kAvx512, InstructionSet::kAvx512Vnni, InstructionSet::kAvx512Bf16}) {
    if (is_supported(set)) best = set;
  }
  EXPECT_EQ(&kernel_table(), kernel_table(best));
  EXPECT_NE(kernel_table(InstructionSet::kPlain), nullptr);
}

}  // namespace
}  // namespace gloss::kernels
