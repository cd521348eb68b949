#include "tensor/caching_allocator.h"

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>
#include <vector>

#include <ATen/Functions.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "common/system/machine.h"
#include "tests/support/sanitizers.h"

namespace gloss {
namespace {

class CachingAllocatorTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { use_caching_allocator(); }
  static std::uintptr_t address(const at::Tensor& tensor) {
    return reinterpret_cast<std::uintptr_t>(tensor.data_ptr());
  }
};

TEST_F(CachingAllocatorTest, EverySizeIsAlignedAndLargeEnough) {
  for (std::int64_t size = 0; size < 5000; size += 1 + size / 7) {
    auto bytes = at::empty({size}, at::kByte);
    bytes.fill_(7);
    EXPECT_EQ(bytes.sum().item<std::int64_t>(), 7 * size);
    EXPECT_EQ(address(bytes) % 64, 0) << size;
  }
}

TEST_F(CachingAllocatorTest, BlocksAtClassBoundariesDoNotOverlap) {
  std::vector<at::Tensor> tensors;
  for (int power = 6; power < 16; ++power)
    for (const auto quarter : {4, 5, 6, 7})
      for (const auto more : {-1, 0, 1})
        tensors.push_back(at::full({(quarter << (power - 2)) + more}, power * 16 + quarter * 3 + more, at::kShort));
  std::size_t i = 0;
  for (int power = 6; power < 16; ++power)
    for (const auto quarter : {4, 5, 6, 7})
      for (const auto more : {-1, 0, 1}) {
        EXPECT_TRUE(tensors[i].eq(power * 16 + quarter * 3 + more).all().item<bool>()) << i;
        ++i;
      }
}

TEST_F(CachingAllocatorTest, BlockIsReusedUntilReleased) {
  const auto first = address(at::empty({100000}));
  EXPECT_EQ(address(at::empty({99999})), first);
  release_cached_memory();
  EXPECT_TRUE(at::ones({100000}).eq(1).all().item<bool>());
}

TEST_F(CachingAllocatorTest, CacheOfManySizesIsBounded) {
  if (kIsSanitized) GTEST_SKIP() << "the sanitizer keeps freed memory";
  release_cached_memory();
  const auto resident = [] { return size_in_proc("/proc/self/status", "RssAnon:").value_or(0); };
  const auto before = resident();
  constexpr std::int64_t kMiB = 1 << 20;
  for (std::int64_t size = 16 * kMiB; size <= 256 * kMiB; size *= 2) at::ones({size}, at::kByte);  // 496 MiB in all
  EXPECT_LT(resident() - before, 400 * kMiB);  // 1.5 times the largest
  release_cached_memory();
}

TEST_F(CachingAllocatorTest, GeluAllocatesWithoutATensor) {
  EXPECT_NEAR(at::gelu(at::ones({64})).sum().item<float>(), 64 * 0.8413447, 1e-3);
}

TEST_F(CachingAllocatorTest, FailedAllocationThrowsAndLeavesTheAllocatorUsable) {
  if (kIsSanitized) GTEST_SKIP() << "the sanitizer ends the process";
  EXPECT_ANY_THROW(at::empty({std::int64_t{1} << 60}, at::kByte));
  EXPECT_ANY_THROW(at::empty({std::int64_t{1} << 46}, at::kByte));
  EXPECT_EQ(at::ones({10}).sum().item<float>(), 10);
}

using CachingAllocatorDeathTest = CachingAllocatorTest;

TEST_F(CachingAllocatorDeathTest, TensorsLeaveMemoryToAllElse) {
  if (kIsSanitized) GTEST_SKIP() << "sanitizers take the whole address space";
  const auto take_all = [] {
    keep_memory_free(32 << 20);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit limit{.rlim_cur = pages * 4096 + (200 << 20), .rlim_max = RLIM_INFINITY};
    ::setrlimit(RLIMIT_AS, &limit);
    std::vector<at::Tensor> tensors;
    tensors.reserve(100);
    try {
      for (;;) tensors.push_back(at::empty({8 << 20}, at::kByte));
    } catch (const std::bad_alloc&) {
    }
    // A string may take what a tensor may not.
    const bool kept = tensors.size() > 10 && is_memory_free() && std::string(16 << 20, 'a').back() == 'a';
    std::_Exit(kept ? 0 : 1);
  };
  EXPECT_EXIT(take_all(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace gloss
