#include "tokenizer/opus_normalizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/random.h"
#include "common/text/utf8.h"

namespace gloss {
namespace {

std::string normalized(std::string_view line) { return opus_normalized(line).text; }

TEST(OpusNormalizerTest, MakesFullWidthPunctuationNarrow) {
  EXPECT_EQ(normalized("一，二、三；四：五？六！（七）"), "一,二,三;四:五?六!(七)");
  EXPECT_EQ(normalized("“a” 《b》 「c」 ’d ～ … ━ 〈e〉 【f】 ％ ∶"), "\"a\" \"b\" \"c\" 'd ~ ... - <e> [f] % :");
  EXPECT_EQ(normalized("０１２３４５６７８９"), "0\"23456789") << "U+FF11 becomes a quotation mark";
}

TEST(OpusNormalizerTest, FullStopsGetOneSpace) {
  EXPECT_EQ(normalized("一。二。  三．四"), "一. 二. 三. 四");
  EXPECT_EQ(normalized("一。"), "一.");
  EXPECT_EQ(normalized("。．。"), ". . .");
}

TEST(OpusNormalizerTest, ControlAndFormatCharactersAreSpaces) {
  EXPECT_EQ(normalized("a\u200Bb\uFEFFc\u00ADd\te\u2060f\x01"), "a b c d e f");
  EXPECT_EQ(normalized("a\u0378b\uE000c"), "a b c") << "unassigned and private";
  EXPECT_EQ(normalized("a\u00A0b\u3000c\u2028d"), "a\u00A0b\u3000c\u2028d") << "spaces and separators stay";
}

TEST(OpusNormalizerTest, SpacesAreSqueezed) {
  EXPECT_EQ(normalized("  a   b \t c  "), "a b c");
  EXPECT_EQ(normalized("   "), "");
  EXPECT_EQ(normalized(""), "");
}

TEST(OpusNormalizerTest, PlacesAreThoseOfTheOriginal) {
  const auto text = opus_normalized("  a…  b。");  // "a... b."
  ASSERT_EQ(text.text, "a... b.");
  const auto place = [&](std::size_t begin, std::size_t end) {
    const auto range = text.original(begin, end);
    return std::pair(range.begin, range.end);
  };
  using Place = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(place(0, 1), Place(2, 3));
  EXPECT_EQ(place(1, 4), Place(3, 6));
  EXPECT_EQ(place(2, 3), Place(3, 6)) << "a part of a replacement has the place of its character";
  EXPECT_EQ(place(4, 5), Place(6, 8)) << "a space has the place of its run";
  EXPECT_EQ(place(5, 7), Place(8, 12));
  EXPECT_EQ(place(7, 7), Place(12, 12));
  EXPECT_EQ(opus_normalized("").original(0, 0).end, 0u);
}

// Any text: the result is valid, has no run of spaces, does not change a second time, and its places are in order.
TEST(OpusNormalizerTest, RandomTextsAreNormalizedOnce) {
  constexpr char32_t kCharacters[] = {U' ',      U'a',  U'é',  U'。', U'．',        U'…',
                                      U'\u200B', U'小', U'１', U'\t', U'\U0001F600'};
  const RandomStream random(3, "lines");
  for (std::uint64_t round = 0; round < 500; ++round) {
    std::string line;
    for (std::uint64_t i = 0; i < random.below(20, round << 8); ++i)
      append_utf8(kCharacters[random.below(std::size(kCharacters), (round << 8) + 1 + i)], line);
    const auto result = opus_normalized(line);
    EXPECT_TRUE(is_utf8(result.text));
    EXPECT_EQ(result.text.find("  "), std::string::npos);
    EXPECT_EQ(normalized(result.text), result.text) << line;
    ASSERT_EQ(result.begins.size(), result.text.size());
    ASSERT_EQ(result.ends.size(), result.text.size());
    for (std::size_t i = 0; i < result.text.size(); ++i) {
      EXPECT_LT(result.begins[i], result.ends[i]);
      EXPECT_LE(result.ends[i], line.size());
      EXPECT_LE(result.begins[i == 0 ? 0 : i - 1], result.begins[i]);
    }
  }
}

}  // namespace
}  // namespace gloss
