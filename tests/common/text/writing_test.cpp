#include "common/text/writing.h"

#include <gtest/gtest.h>

namespace gloss {
namespace {

Writing writing_of(std::string_view text) {
  WritingCounts counts;
  counts.add(text);
  return counts.writing();
}

TEST(WritingTest, MostLettersDecide) {
  EXPECT_EQ(writing_of("一只狗在雪地里奔跑。"), Writing::kChinese);
  EXPECT_EQ(writing_of("犬が雪の中を走っている。"), Writing::kJapanese);
  EXPECT_EQ(writing_of("สุนัขวิ่งในหิมะ"), Writing::kOtherUnspaced);
  EXPECT_EQ(writing_of("ຫມາແລ່ນ"), Writing::kOtherUnspaced);
  EXPECT_EQ(writing_of("ခွေးပြေး"), Writing::kOtherUnspaced);
  EXPECT_EQ(writing_of("ឆ្កែរត់"), Writing::kOtherUnspaced);
  for (const auto* text :
       {"A dog runs.", "Собака бежит.", "سگ می‌دود", "कुत्ता दौड़ता है", "개가 달린다", "", "... 12"})
    EXPECT_EQ(writing_of(text), Writing::kSpaces) << text;
}

TEST(WritingTest, FewForeignWordsDoNotDecide) {
  EXPECT_EQ(writing_of("The sign says 出口 and nothing else."), Writing::kSpaces);
  EXPECT_EQ(writing_of("他在北京大学学习计算机科学和 PyTorch 的使用方法。"), Writing::kChinese);
}

TEST(WritingTest, NfkcChangesCharactersWithMeaning) {
  for (const char32_t character : U"²½ªº①℃™\u200c！，（㎡") {
    if (character == 0) continue;  // the end of the literal
    EXPECT_TRUE(is_changed_by_nfkc(character)) << character_text(character);
  }
  for (const char32_t character : U"aä漢。「ł\u00a0…")
    EXPECT_FALSE(is_changed_by_nfkc(character)) << character_text(character);
}

TEST(WritingTest, CharactersHaveTheirCodePointInMessages) {
  EXPECT_EQ(character_text(U'½'), "U+00BD");
  EXPECT_EQ(character_text(U'\U0001F415'), "U+1F415");
}

}  // namespace
}  // namespace gloss
