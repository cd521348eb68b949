#include "common/text/visible_text.h"

#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(VisibleTextTest, LacksCharactersThatOnlyControlTheDisplay) {
  EXPECT_EQ(visible_text("A cap\u00adtion, da\u2060ta\ufeff\u2064, \u202eab\u202cc \u2066d\u2069"),
            "A caption, data, abc d");
  EXPECT_EQ(visible_text("shal\u200fom a\u200eb \u061cc\u206f"), "shalom ab c");
  for (const auto* text : {"", "plain", "\u06cc\u200c\u0647", "\u0915\u094d\u200d", "a\u00a0c\u3000",
                           "\U0001f468\u200d\U0001f469", "\xff"})
    EXPECT_EQ(visible_text(text), text);
}

TEST(VisibleTextTest, ASpaceWithoutWidthStaysWhereItSeparatesWords) {
  EXPECT_EQ(visible_text("\u200bab\u200bc, \u200b."), "abc, .");
  for (const auto* text : {"\u0e2a\u200b\u0e19", "\u1786\u200b\u179a", "\u1001\u200b 7"})
    EXPECT_EQ(visible_text(text), text) << "Thai, Khmer, Burmese";
}

TEST(VisibleTextTest, BlankLinesHaveWhiteSpaceAndInvisibleCharactersOnly) {
  for (const auto* line :
       {"", " \t", "\u00a0", "\u3000\u3000", "\u200b \u00ad\u2060", "\u200e\u200f", "\ufeff", "\u2028"})
    EXPECT_TRUE(is_blank(line)) << line;
  for (const auto* line : {".", " a", "\u3000。", "\u200c", "\xff"}) EXPECT_FALSE(is_blank(line)) << line;
}

TEST(VisibleTextTest, OneLineForEveryProgramHasSpacesForLineEnds) {
  EXPECT_EQ(on_one_line("a\u2028b\u2029c\u0085d\ve\ff\x1cg\x1dh\x1ei\rj\nk"), "a b c d e f g h i j k");
  for (const auto* text : {"", "a b", "\ta\u00a0b\u3000", "\u2027\u202a", "\xe2\x80"})
    EXPECT_EQ(on_one_line(text), text);
}

TEST(VisibleTextTest, ContentIsThatOfTheMostTellingCharacter) {
  for (const auto* text : {"", " \t", "\u00a0\u3000\u2028"}) EXPECT_EQ(content_of(text), TextContent::kNothing) << text;
  for (const auto* text :
       {"...", " ? ", "\u2014", "\U0001f600", "\u2764\ufe0f \U0001f468\u200d\U0001f469", "$ \u20ac", "\u300c\u300d"})
    EXPECT_EQ(content_of(text), TextContent::kSymbols) << text;
  for (const auto* text : {"a", "... 7", "\u72d7", "\u0663", "?\u00e9"})
    EXPECT_EQ(content_of(text), TextContent::kWords) << text;
}

}  // namespace
}  // namespace gloss
