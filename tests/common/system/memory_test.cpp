#include "common/system/memory.h"

#include <algorithm>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "common/system/cgroup.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

TEST(UsableMemoryTest, IsTheSmallestLimitOfTheKernel) {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::int64_t kibibytes = 0;
  file >> name >> kibibytes;
  ASSERT_EQ(name, "MemTotal:");
  EXPECT_EQ(usable_memory(), std::min(kibibytes * 1024, cgroup_limits().memory.value_or(kibibytes * 1024)));
}

TEST(SizeInProcTest, ReturnsTheValueInBytes) {
  const TemporaryFolder folder;
  const auto path = folder / "status";
  std::ofstream(path) << "Name:\tgloss 3\nVmRSS:\t     120 kB\nVmHWM:\t 200 kB\nVmSwap: none\n";
  EXPECT_EQ(size_in_proc(path.c_str(), "VmRSS:"), 120 * 1024);
  EXPECT_EQ(size_in_proc(path.c_str(), "VmHWM:"), 200 * 1024);
  for (const auto* key : {"VmSwap:", "VmR", "120", "Name:", "VmPeak:"})
    EXPECT_FALSE(size_in_proc(path.c_str(), key)) << key;
  EXPECT_FALSE(size_in_proc((folder / "none").c_str(), "VmRSS:"));
  EXPECT_GT(size_in_proc("/proc/self/status", "VmRSS:"), 0);
}

}  // namespace
}  // namespace gloss
