#include "evaluation/tokenize/strip.h"

#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(StripTest, StripsAllWhiteSpaceAtTheEndOnly) {
  EXPECT_EQ(strip_end("\u3000a b\u2009\t\u00a0\n"), "\u3000a b");
  EXPECT_EQ(strip_end(" \u2028 "), "");
  EXPECT_EQ(strip_end("a\u200b"), "a\u200b");  // zero width is not white space
}

TEST(StripTest, StripsBothEnds) {
  EXPECT_EQ(strip("\u3000\t a b\u2009\u00a0\n"), "a b");
  EXPECT_EQ(strip(" \u2028 "), "");
}

TEST(StripTest, RunsOfSpaceBecomeOneSpace) { EXPECT_EQ(single_spaced(" a\u3000\u2003b \t\n"), "a b"); }

}  // namespace
}  // namespace gloss
