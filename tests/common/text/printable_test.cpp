#include "common/text/printable.h"

#include <string>

#include <gtest/gtest.h>

namespace gloss {
namespace {

using namespace std::string_literals;

TEST(PrintableTest, EscapesControlCharacters) {
  EXPECT_EQ(printable("Gr\u00fc\u00dfe, \u4f60\u597d \U0001f600"), "Gr\u00fc\u00dfe, \u4f60\u597d \U0001f600");
  EXPECT_EQ(printable("a\nb\rc\td"), "a\\nb\\rc\\td");
  EXPECT_EQ(printable("\x1b[2J\x7f\0"s), "\\x1b[2J\\x7f\\x00");
  EXPECT_EQ(printable("\u009b2J"), "\\u{9b}2J");
  EXPECT_EQ(printable("a\u202eb\u2066c\u2028d"), "a\\u{202e}b\\u{2066}c\\u{2028}d");
  EXPECT_EQ(printable("a\xff\xe2\x82z"), "a\\xff\\xe2\\x82z");
}

TEST(PrintableTest, CutsByCharacters) {
  EXPECT_EQ(printable("\u00e4\u00f6\u00fc", 3), "\u00e4\u00f6\u00fc");
  EXPECT_EQ(printable("\u00e4\u00f6\u00fc", 2), "\u00e4\u00f6...");
  EXPECT_EQ(printable(std::string(1'000'000, 'x')).size(), 1003U);
}

}  // namespace
}  // namespace gloss
