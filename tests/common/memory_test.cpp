#include "common/memory.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(PhysicalMemoryTest, IsWhatTheKernelSays) {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::int64_t kibibytes = 0;
  file >> name >> kibibytes;
  ASSERT_EQ(name, "MemTotal:");
  EXPECT_EQ(physical_memory(), kibibytes * 1024);
}

}  // namespace
}  // namespace gloss
