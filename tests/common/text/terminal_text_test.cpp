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

TEST(TerminalTextTest, LinesBreakAtSpaces) {
  EXPECT_EQ(wrapped("a short line", 20), "a short line");
  EXPECT_EQ(wrapped("twenty columns are it", 20), "twenty columns are\n  it");
  EXPECT_EQ(wrapped("one two three four five six seven", 20), "one two three four\n  five six seven");
  EXPECT_EQ(wrapped("twelve exactly twenty more", 20), "twelve exactly\n  twenty more");
}

TEST(TerminalTextTest, WordsThatAreLongerThanALineBreakAnywhere) {
  EXPECT_EQ(wrapped("/a/path/that/has/no/space/in/it and more", 20), "/a/path/that/has/no/\n  space/in/it and\n  more");
  EXPECT_EQ(wrapped("犬が雪の中を走っている今日も", 20), "犬が雪の中を走ってい\n  る今日も")
      << "two columns a character";
}

TEST(TerminalTextTest, NarrowTerminalsGetTheTextItself) { EXPECT_EQ(wrapped("one two three", 10), "one two three"); }

}  // namespace
}  // namespace gloss
