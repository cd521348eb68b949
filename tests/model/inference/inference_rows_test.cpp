#include "model/inference/inference_rows.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tensor/thread_count.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<std::pair<std::int64_t, std::int64_t>> parts_of(std::int64_t rows) {
  std::mutex lock;
  std::vector<std::pair<std::int64_t, std::int64_t>> parts;
  over_rows(rows, [&](std::int64_t first, std::int64_t last) {
    const std::scoped_lock guard(lock);
    parts.emplace_back(first, last);
  });
  std::ranges::sort(parts);
  return parts;
}

TEST(RowPartsTest, FewRowsAreOnePart) {
  const ThreadCount three(3);
  EXPECT_FALSE(has_rows_for_threads(23));
  EXPECT_THAT(parts_of(23), ElementsAre(Pair(0, 23)));
  EXPECT_THAT(parts_of(0), ElementsAre(Pair(0, 0)));
}

TEST(RowPartsTest, ManyRowsArePartitionedAmongThreads) {
  const ThreadCount three(3);
  EXPECT_TRUE(has_rows_for_threads(25));
  EXPECT_THAT(parts_of(25), ElementsAre(Pair(0, 9), Pair(9, 18), Pair(18, 25)));
}

}  // namespace
}  // namespace gloss
