#include "common/text/letter_case.h"

#include <string_view>

#include <gtest/gtest.h>

#include "common/text/utf8.h"

namespace gloss {
namespace {

TEST(LetterCaseTest, LowerAsciiLeavesOtherLetters) { EXPECT_EQ(lower_ascii("<P> [AZ@] ÄÉ İ"), "<p> [az@] ÄÉ İ"); }

TEST(LetterCaseTest, EachUpperCaseLetterHasItsLowerCase) {
  constexpr std::u32string_view kUpper = U"AZÀÖØÞĀĶĹŇŊŹŽŸƠƯǍǕǞȘȲΆΈΌΏΑΣΫЀЁАЯҌӁӐԱՖḀẠỸ",
                                kLower = U"azàöøþāķĺňŋźžÿơưǎǖǟșȳάέόώασϋѐёаяҍӂӑաֆḁạỹ";
  ASSERT_EQ(kUpper.size(), kLower.size());
  for (std::size_t i = 0; i < kUpper.size(); ++i) {
    EXPECT_EQ(lower_case(kUpper[i]), kLower[i]) << i;
    EXPECT_EQ(lower_case(kLower[i]), kLower[i]) << i;
    EXPECT_EQ(upper_case(kUpper[i]), kUpper[i]) << i;
    EXPECT_EQ(upper_case(kLower[i]), kLower[i] == U'ς' ? U'Σ' : kUpper[i]) << i;
    EXPECT_TRUE(is_upper_case(kUpper[i])) << i;
    EXPECT_FALSE(is_upper_case(kLower[i])) << i;
  }
  for (const char32_t c : U"@[`{1×÷ßĸŉſ\u03a2҂中あא\U0001f600") EXPECT_EQ(lower_case(c), c);
}

TEST(LetterCaseTest, UpperCaseIsTheInverseOfLowerCase) {
  for (char32_t c = 0; c < 0x3000; ++c)
    EXPECT_TRUE(lower_case(c) == c || upper_case(lower_case(c)) == c) << static_cast<std::uint32_t>(c);
  for (char32_t c = 0; c < 0x3000; ++c)
    EXPECT_TRUE(upper_case(c) == c || lower_case(upper_case(c)) == c || c == U'ς') << static_cast<std::uint32_t>(c);
  for (const char32_t c : U"@[`{1×÷ßĸŉſ\u03a2҂中あא\U0001f600") EXPECT_EQ(upper_case(c), c);
}

TEST(LetterCaseTest, LengthsInUtf8Stay) {
  for (char32_t c = 0; c < 0x3000; ++c) {
    std::string upper, lower;
    append_utf8(c, upper);
    append_utf8(lower_case(c), lower);
    EXPECT_EQ(upper.size(), lower.size()) << static_cast<std::uint32_t>(c);
  }
}

TEST(LetterCaseTest, MarksComposeWithTheirLettersOnly) {
  EXPECT_EQ(composed(U'u', 0x308), U'ü');
  EXPECT_EQ(composed(U'Å', 0x301), 0);
  EXPECT_EQ(composed(U'ậ', 0x302), 0);
  EXPECT_EQ(composed(U'ạ', 0x302), U'ậ');
  EXPECT_EQ(composed(U'И', 0x306), U'Й');
  EXPECT_EQ(composed(U'か', 0x3099), U'が');
  EXPECT_EQ(composed(U'u', U'v'), 0);
}

}  // namespace
}  // namespace gloss
