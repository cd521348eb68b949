#include "common/system/random_digits.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(RandomDigits, AreHexadecimalAndDiffer) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) seen.insert(random_digits(8));
  EXPECT_EQ(seen.size(), 100U);
  for (const auto& digits : seen) {
    EXPECT_EQ(digits.size(), 16U);
    EXPECT_EQ(digits.find_first_not_of("0123456789abcdef"), digits.npos) << digits;
  }
}

}  // namespace
}  // namespace gloss
