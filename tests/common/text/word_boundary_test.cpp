#include "common/text/word_boundary.h"

#include <string>

#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(WordBoundaryTest, LettersDigitsAndMarksMakeWords) {
  for (const auto letter : {U'a', U'Z', U'0', U'ß', U'é', U'\u0301', U'Ж', U'ω', U'ع', U'한', U'ﬁ', U'Ａ',
                            U'\U0001D400', U'\u00AD', U'\u200C', U'\u200D', U'\uFE0F', U'\uFE20'})
    EXPECT_EQ(kind_of(letter), CharacterKind::kWord) << static_cast<unsigned>(letter);
}

TEST(WordBoundaryTest, SpacesPunctuationAndSymbolsAreNoWords) {
  for (const auto other : {U' ', U'.', U'-', U'\'', U'_', U'\u00A0', U'×', U'÷', U'\u037E', U'،', U'।', U'\u2019', U'€',
                           U'\u2581', U'。', U'，', U'・', U'\U0001F600', U'\U0010FFFF'})
    EXPECT_EQ(kind_of(other), CharacterKind::kOther) << static_cast<unsigned>(other);
}

TEST(WordBoundaryTest, RecognizesScriptsWithoutSpaces) {
  for (const auto letter : {U'狗', U'の', U'ー', U'ก', U'ນ', U'ག', U'မ', U'ភ', U'\U00020000'})
    EXPECT_EQ(kind_of(letter), CharacterKind::kUnspaced) << static_cast<unsigned>(letter);
}

TEST(WordBoundaryTest, FirstAndLastKindDecodeWholeCharacters) {
  EXPECT_EQ(first_kind("éa."), CharacterKind::kWord);
  EXPECT_EQ(last_kind(".aé"), CharacterKind::kWord);
  EXPECT_EQ(last_kind("a狗"), CharacterKind::kUnspaced);
  EXPECT_EQ(first_kind("狗a"), CharacterKind::kUnspaced);
  EXPECT_EQ(first_kind(""), CharacterKind::kOther);
  EXPECT_EQ(last_kind(""), CharacterKind::kOther);
}

TEST(WordBoundaryTest, WordsHaveNoBoundaryInside) {
  const auto borders = [](const std::string& text) {
    std::string shown;
    for (std::size_t offset = 0; offset <= text.size(); ++offset) shown += is_word_boundary(text, offset) ? '|' : '.';
    return shown;
  };
  EXPECT_EQ(borders("ab c-d"), "|.|||||");
  EXPECT_EQ(borders(""), "|");
  EXPECT_TRUE(is_word_boundary("狗狗", 3));
  EXPECT_TRUE(is_word_boundary("T狗", 1));
  EXPECT_FALSE(is_word_boundary("éß", 2));
  EXPECT_FALSE(is_word_boundary("می\u200cخواهم", 4));  // a Persian word continues after the non-joiner
  EXPECT_FALSE(is_word_boundary("می\u200cخواهم", 7));
}

TEST(WordBoundaryTest, LettersAreCharactersOfWordsButAsciiDigits) {
  for (const char32_t letter : {U'a', U'Z', U'\u00e9', U'\u72d7', U'\u0e01', U'\u0661'}) EXPECT_TRUE(is_letter(letter));
  for (const char32_t other : {U'0', U'9', U' ', U'-', U'\u3002', U'\ufffd'}) EXPECT_FALSE(is_letter(other));
  EXPECT_TRUE(is_ascii_digit(U'0') && is_ascii_digit(U'9'));
  EXPECT_FALSE(is_ascii_digit(U'/') || is_ascii_digit(U':') || is_ascii_digit(U'\u0661'));
}

TEST(HasLetter, CountsLettersOfAllScripts) {
  EXPECT_TRUE(has_letter("1 \u72d7"));
  EXPECT_FALSE(has_letter("1 \u2014 \U0001F600"));
}

}  // namespace
}  // namespace gloss
