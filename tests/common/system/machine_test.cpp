#include "common/system/machine.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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

TEST(ThreadsTest, CountsTheProcessorsThatThisProcessMayUse) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(before), &before), 0);
  const double all = CPU_COUNT(&before);
  EXPECT_EQ(available_processors(), std::ceil(std::min(all, cgroup_limits().processors.value_or(all))));

  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(available_processors(), 1);
  ::sched_setaffinity(0, sizeof(before), &before);
}

TEST(ThreadsThatStartTest, ReturnsTheCountIfAllStart) {
  EXPECT_EQ(threads_that_start(1), 1);
  EXPECT_EQ(threads_that_start(3), 3);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(ThreadsThatStartDeathTest, ReturnsFewerIfTheAddressSpaceIsTooSmall) {
  const auto count = [] {
    const auto mapped = size_in_proc("/proc/self/status", "VmSize:");
    if (!mapped) std::_Exit(2);
    const auto limit = static_cast<rlim_t>(*mapped + (100 << 20));  // a thread takes 8 MiB
    const rlimit address_space{limit, limit};
    if (::setrlimit(RLIMIT_AS, &address_space) != 0) std::_Exit(3);
    const int threads = threads_that_start(1000);
    std::_Exit(threads > 0 && threads < 1000 ? 0 : 1);
  };
  EXPECT_EXIT(count(), testing::ExitedWithCode(0), "");
}
#endif

TEST(ProcessIdTest, DigitsAloneAreANumber) {
  EXPECT_EQ(parse_process_id("4711"), 4711);
  EXPECT_EQ(parse_process_id("0"), 0);
  for (const auto* text : {"", "-1", "12x", " 12", "99999999999999"}) EXPECT_EQ(parse_process_id(text), std::nullopt);
}

TEST(ProcessIdTest, AProcessRunsUntilItsEndIsRead) {
  EXPECT_TRUE(is_running(::getpid()));
  EXPECT_TRUE(is_running(1));  // of another user, as a rule
  EXPECT_FALSE(is_running(0));
  const auto child = ::fork();
  if (child == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(is_running(child));
}

}  // namespace
}  // namespace gloss
