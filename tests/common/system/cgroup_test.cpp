#include "common/system/cgroup.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

class CgroupTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    const auto path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  CgroupLimits limits() const { return cgroup_limits(folder_ / "membership", folder_ / "cgroup"); }

  TemporaryFolder folder_;
};

TEST_F(CgroupTest, NoLimitWithoutGroups) {
  EXPECT_EQ(limits().processors, std::nullopt);
  EXPECT_EQ(limits().memory, std::nullopt);
}

TEST_F(CgroupTest, SmallestLimitOfAGroupAndItsParentsApplies) {
  write("membership", "0::/user/job\n");
  write("cgroup/user/job/cpu.max", "300000 100000\n");
  write("cgroup/user/cpu.max", "150000 100000\n");
  write("cgroup/user/job/memory.max", "1000000\n");
  write("cgroup/user/memory.max", "2000000\n");
  write("cgroup/other/memory.max", "1\n");
  EXPECT_EQ(limits().processors, 1.5);
  EXPECT_EQ(limits().memory, 1'000'000);
}

TEST_F(CgroupTest, MaxIsNoLimit) {
  write("membership", "0::/job\n");
  write("cgroup/job/cpu.max", "max 100000\n");
  write("cgroup/job/memory.max", "max\n");
  EXPECT_EQ(limits().processors, std::nullopt);
  EXPECT_EQ(limits().memory, std::nullopt);
}

// A container sees its own group at the top, and its membership may be a path that does not exist here.
TEST_F(CgroupTest, InvisibleGroupIsIgnored) {
  write("membership", "0::/elsewhere/../job\n");
  write("cgroup/cpu.max", "200000 100000\n");
  write("cgroup/memory.max", "4096\n");
  EXPECT_EQ(limits().processors, 2.0);
  EXPECT_EQ(limits().memory, 4096);
}

TEST_F(CgroupTest, VersionOneHasAFolderForEachController) {
  write("membership", "4:memory:/a\n2:cpu,cpuacct:/b\n1:name=systemd:/\nnonsense\n");
  write("cgroup/memory/a/memory.limit_in_bytes", "123456\n");
  write("cgroup/cpu,cpuacct/b/cpu.cfs_quota_us", "250000\n");
  write("cgroup/cpu,cpuacct/b/cpu.cfs_period_us", "100000\n");
  write("cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  write("cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(limits().processors, 2.5);
  EXPECT_EQ(limits().memory, 123'456);
}

}  // namespace
}  // namespace gloss
