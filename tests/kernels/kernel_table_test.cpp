#include "kernels/kernel_table.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/kernels/kernel_test.h"

namespace gloss::kernels {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class KernelTableTest : public KernelTest {};

InstructionSet best_supported_set() {
  auto best = InstructionSet::kGeneric;
  for (const auto set : kInstructionSets)
    if (is_supported(set)) best = set;
  return best;
}

std::string error_of(const std::string& name) {
  try {
    choose_instruction_set(name);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(KernelTable, UsesTheBestSupportedSet) {
  EXPECT_EQ(choose_instruction_set(""), best_supported_set());
  EXPECT_EQ(&kernel_table(), kernel_table(active_instruction_set()));
  EXPECT_NE(kernel_table(InstructionSet::kGeneric), nullptr);
}

TEST(KernelTable, UnknownSetIsAUsageErrorThatListsTheSupportedSets) {
  for (const auto* name : {"sse9", "AVX2", "plain", "avx2 "})
    EXPECT_THAT(error_of(name), AllOf(HasSubstr("GLOSS_KERNELS"), HasSubstr("(generic"),
                                      HasSubstr(name_of(best_supported_set())), HasSubstr(name)));
}

TEST(KernelTable, UnsupportedSetIsAUsageError) {
  for (const auto set : kInstructionSets) {
    if (!is_supported(set)) {
      EXPECT_THAT(error_of(name_of(set)), HasSubstr("got \"" + name_of(set) + '"'));
    }
  }
}

TEST_P(KernelTableTest, SupportedSetIsChosenByName) {
  EXPECT_EQ(choose_instruction_set(name_of(GetParam())), GetParam());
}

TEST_P(KernelTableTest, EnvironmentVariableForcesTheSet) {
  const auto run = [&] {
    ::setenv("GLOSS_KERNELS", name_of(GetParam()).c_str(), 1);
    std::_Exit(&kernel_table() == kernel_table(GetParam()) ? 0 : 1);
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a new process, which has not read the variable
  EXPECT_EXIT(run(), ::testing::ExitedWithCode(0), "");
}

INSTANTIATE_INSTRUCTION_SETS(KernelTableTest);

}  // namespace
}  // namespace gloss::kernels
