#include "common/text/terminal_text.h"

#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(TerminalTextTest, ColumnsMatchATerminal) {
  EXPECT_EQ(columns_of(""), 0U);
  EXPECT_EQ(columns_of("Gr\u00fc\u00dfe"), 5U);
  EXPECT_EQ(columns_of("u\u0308ber"), 4U);     // a combining mark
  EXPECT_EQ(columns_of("\u4f60\u597d!"), 5U);  // ideographs
  EXPECT_EQ(columns_of("\ud55c\uae00"), 4U);   // hangul
  EXPECT_EQ(columns_of("\U0001f600"), 2U);     // an emoji
  EXPECT_EQ(columns_of("\uff21\uff76"), 3U);   // a fullwidth and a halfwidth form
}

TEST(TerminalTextTest, FirstColumnsKeepsCharactersAndTheirMarksWhole) {
  EXPECT_EQ(first_columns("abc", 2), "ab");
  EXPECT_EQ(first_columns("abc", 3), "abc");
  EXPECT_EQ(first_columns("abc", 0), "");
  EXPECT_EQ(first_columns("\u4f60\u597d", 3), "\u4f60");
  EXPECT_EQ(first_columns("au\u0308b", 2), "au\u0308");
}

TEST(TerminalTextTest, ShortenedTextEndsInDots) {
  EXPECT_EQ(shortened("A man sleeps.", 13), "A man sleeps.");
  EXPECT_EQ(shortened("A man sleeps.", 8), "A man...");
  EXPECT_EQ(shortened("\u4f60\u597d\u4f60\u597d", 6), "\u4f60...");
  EXPECT_EQ(shortened("abcd", 2), "ab");
}

}  // namespace
}  // namespace gloss
