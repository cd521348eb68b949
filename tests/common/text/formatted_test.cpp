#include "common/text/formatted.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(FormattedTest, FormatsLikePrintfWithAnyLength) {
  EXPECT_EQ(formatted("%s", ""), "");
  EXPECT_EQ(formatted("%.*f and %5d%%", 2, 1.005, 7), "1.00 and     7%");
  EXPECT_EQ(formatted("%.400f", 1.0), "1." + std::string(400, '0'));
  const std::string text(100'000, 'x');
  EXPECT_EQ(formatted("%s.", text.c_str()), text + ".");
}

TEST(FormattedTest, BytesAreMebibytes) {
  EXPECT_EQ(bytes_text(0), "0.0 KiB");
  EXPECT_EQ(bytes_text(5'000), "4.9 KiB");
  EXPECT_EQ(bytes_text((123 << 20) + (1 << 19)), "123.5 MiB");
  EXPECT_EQ(short_bytes_text((9 << 20) + (1 << 19)), "9.5 MiB");
  EXPECT_EQ(short_bytes_text((123 << 20) + (1 << 18)), "123 MiB");
}

TEST(NumberTextTest, HasFewDigitsHoweverLargeTheNumber) {
  EXPECT_EQ(number_text(7.389), "7.39");
  EXPECT_EQ(number_text(1, 4), "1.0000");
  EXPECT_EQ(number_text(999'999.25), "999999.25");
  EXPECT_EQ(number_text(3.0541358e135), "3.05e+135");
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "inf");
}

}  // namespace
}  // namespace gloss
