#include "common/system/parallel_for.h"

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

namespace gloss {
namespace {

/// Limits the address space to the stacks of one or two more threads.
void limit_memory() {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t most = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (rlim_t{20} << 20);
  const rlimit limit{most, most};
  if (::setrlimit(RLIMIT_AS, &limit) != 0) std::_Exit(2);
}

bool each_number_once(int threads) {
  std::vector<std::atomic<int>> calls(10'000);
  parallel_for(std::ssize(calls), threads, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = begin; i < end; ++i) ++calls[static_cast<std::size_t>(i)];
  });
  for (const auto& count : calls)
    if (count != 1) return false;
  return true;
}

TEST(ParallelForTest, RangesPartitionTheNumbers) {
  for (const int threads : {0, 1, 2, 7}) EXPECT_TRUE(each_number_once(threads)) << threads;
}

TEST(ParallelForTest, ContinuesWithFewerThreads) {
  EXPECT_EXIT(
      {
        limit_memory();
        std::_Exit(each_number_once(500) ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace gloss
