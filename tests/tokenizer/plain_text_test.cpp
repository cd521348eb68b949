#include "tokenizer/plain_text.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/text/utf8.h"
#include "tests/tokenizer/training_text.h"
#include "tokenizer/sentencepiece_tokenizer.h"

namespace gloss {
namespace {

using testing::ElementsAre;

TEST(PlainTextTest, SpaceMarkBecomesALowLine) {
  EXPECT_EQ(without_space_marks("▁a▁▁b▁"), "_a__b_");
  EXPECT_EQ(without_space_marks("a ▂ b"), "a ▂ b");
  EXPECT_EQ(without_space_marks(""), "");
}

TEST(PlainTextTest, SymbolNamesAreSplitAfterTheBracket) {
  EXPECT_THAT(split_symbol_names("<s>a</s>"), ElementsAre("<", "s>a<", "/s>"));
  EXPECT_THAT(split_symbol_names("x<unk><pad>"), ElementsAre("x<", "unk><", "pad>"));
  EXPECT_THAT(split_symbol_names("<<0x0A>"), ElementsAre("<<", "0x0A>"));
}

TEST(PlainTextTest, OtherBracketsStayWhole) {
  for (const auto* text : {"", "a < b", "<", "<p>", "<strong>", "<0x0A", "< s>", "<0x>", "s>"})
    EXPECT_THAT(split_symbol_names(text), ElementsAre(text));
}

TEST(PlainTextTest, OnlyAWholeNameIsASymbolsName) {
  for (const auto* name : {"<s>", "</s>", "<unk>", "<pad>", "<0x0A>"}) EXPECT_TRUE(is_symbol_name(name)) << name;
  for (const auto* text : {"", "<", "s>", "<BT>", "<s>>", "a<s>", "<s>a", "<0x0A"})
    EXPECT_FALSE(is_symbol_name(text)) << text;
}

// The planes with assigned characters. A line never holds a line feed, and U+2581 is read as a low line.
std::vector<std::string> lines_of_one_character() {
  std::vector<std::string> lines;
  for (char32_t character = 1; character < 0x30000; character += character < 0x10000 ? 1 : 17) {
    if (character == U'\n' || (character >= 0xD800 && character < 0xE000)) continue;
    append_utf8(character, lines.emplace_back());
  }
  return lines;
}

TEST(WordCountTest, ExactlyLinesWithoutWordsHaveNoPieces) {
  for (const auto normalization : {Normalization::kNmtNfkc, Normalization::kIdentity}) {
    auto config = small_config(TokenizerType::kChar);
    config.normalization = normalization;
    const SentencePieceTokenizer tokenizer(train_on(training_text(), config), "m");
    for (const auto& line : lines_of_one_character())
      ASSERT_EQ(count_words(line, normalization) == 0, tokenizer.encode(line).empty())
          << normalization_name(normalization) << ": " << testing::PrintToString(line);
  }
}

TEST(WordCountTest, LineHasAtLeastAsManyPiecesAsWords) {
  for (const auto normalization : {Normalization::kNmtNfkc, Normalization::kIdentity}) {
    auto config = small_config();
    config.normalization = normalization;
    const SentencePieceTokenizer tokenizer(train_on(training_text(), config), "m");
    for (const auto& character : lines_of_one_character()) {
      const auto line = "a" + character + "b";
      ASSERT_LE(count_words(line, normalization), std::ssize(tokenizer.encode(line))) << testing::PrintToString(line);
    }
  }
}

TEST(WordCountTest, SpacesOfTheNormalizationSeparate) {
  const std::string line = " one\u3000two\u200bthree \t four\u00a0";
  EXPECT_EQ(count_words(line, Normalization::kNmtNfkc), 4);
  EXPECT_EQ(count_words("one\u3000two three", Normalization::kIdentity), 2);
  EXPECT_EQ(count_words("o\x01ne", Normalization::kNmtNfkc), 1);
  EXPECT_EQ(count_words("", Normalization::kIdentity), 0);
}

}  // namespace
}  // namespace gloss
