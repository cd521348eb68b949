#include "common/text/counted.h"

#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(CountedTest, TheNounFollowsTheNumber) {
  EXPECT_EQ(counted(0, "line"), "0 lines");
  EXPECT_EQ(counted(std::size_t{1}, "sentence pair"), "1 sentence pair");
  EXPECT_EQ(counted(std::int64_t{1} << 40, "sentence pair"), "1099511627776 sentence pairs");
  EXPECT_EQ(counted(1, "process"), "1 process");
  EXPECT_EQ(counted(2, "process"), "2 processes");
  EXPECT_EQ(counted(2, "batch"), "2 batches");
  EXPECT_EQ(counted(3, "epoch"), "3 epochs");
}

}  // namespace
}  // namespace gloss
