#include "common/text/visible_text.h"

#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(VisibleTextTest, LacksCharactersThatOnlyControlTheDisplay) {
  EXPECT_EQ(visible_text("A cap\u00adtion, da\u2060ta\ufeff\u2064, \u202eab\u202cc \u2066d\u2069"),
            "A caption, data, abc d");
  for (const auto* text :
       {"", "plain", "\u06cc\u200c\u0647", "\u0915\u094d\u200d", "a\u200bb\u00a0c\u3000", "\U0001f468\u200d\U0001f469"})
    EXPECT_EQ(visible_text(text), text);
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
