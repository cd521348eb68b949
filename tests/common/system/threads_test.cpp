#include "common/system/threads.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include "common/system/cgroup.h"
#include "common/system/memory.h"

namespace gloss {
namespace {

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

}  // namespace
}  // namespace gloss
