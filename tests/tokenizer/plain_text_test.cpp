#include "tokenizer/plain_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace gloss
