#include "common/memory.h"

#include <algorithm>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "common/cgroup.h"

namespace gloss {
namespace {

TEST(UsableMemoryTest, IsTheLeastThatTheKernelSays) {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::int64_t kibibytes = 0;
  file >> name >> kibibytes;
  ASSERT_EQ(name, "MemTotal:");
  EXPECT_EQ(usable_memory(), std::min(kibibytes * 1024, cgroup_limits().memory.value_or(kibibytes * 1024)));
}

}  // namespace
}  // namespace gloss
