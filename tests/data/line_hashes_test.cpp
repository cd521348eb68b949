#include "data/line_hashes.h"

#include <string>

#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(LineHashesTest, KeepEachHashWhileTheyGrow) {
  LineHashes hashes;
  EXPECT_FALSE(hashes.contains(hash_of_line("0")));
  for (int i = 0; i < 10'000; ++i) {
    EXPECT_TRUE(hashes.insert(hash_of_line(std::to_string(i)))) << i;
    EXPECT_FALSE(hashes.insert(hash_of_line(std::to_string(i / 2)))) << i;
  }
  EXPECT_EQ(hashes.size(), 10'000u);
  for (int i = 0; i < 20'000; ++i) EXPECT_EQ(hashes.contains(hash_of_line(std::to_string(i))), i < 10'000) << i;
}

TEST(LineHashesTest, HashesThatFallIntoOnePlaceAreKeptApart) {
  LineHashes hashes;
  for (std::uint64_t i = 1; i <= 1000; ++i) EXPECT_TRUE(hashes.insert(i << 32)) << i;
  for (std::uint64_t i = 1; i <= 1000; ++i) EXPECT_TRUE(hashes.contains(i << 32)) << i;
  EXPECT_FALSE(hashes.contains(std::uint64_t{1001} << 32));
}

TEST(LineHashesTest, APairIsMoreThanItsLines) {
  EXPECT_EQ(hash_of_pair("a", "b"), hash_of_pair("a", "b"));
  EXPECT_NE(hash_of_pair("a", "b"), hash_of_pair("b", "a"));
  EXPECT_NE(hash_of_pair("ab", "c"), hash_of_pair("a", "bc"));
  EXPECT_NE(hash_of_line(""), 0u);
}

}  // namespace
}  // namespace gloss
