#include "common/threads.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <sched.h>

#include "common/cgroup.h"

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

}  // namespace
}  // namespace gloss
