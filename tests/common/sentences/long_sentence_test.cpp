#include "common/sentences/long_sentence.h"

#include <algorithm>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/text/split.h"
#include "common/text/utf8.h"

namespace gloss {
namespace {

using testing::ElementsAre;

std::vector<std::string> parts(std::string_view sentence, std::size_t max_characters,
                               const std::vector<TextSpan>& whole = {}) {
  const auto fits = [&](std::string_view text) { return count_code_points(text) <= max_characters; };
  std::vector<std::string> parts;
  for (const auto& span : cut_long_sentence(sentence, fits, whole)) parts.emplace_back(span.of(sentence));
  return parts;
}

TEST(LongSentenceTest, ASentenceThatFitsIsOnePart) {
  EXPECT_THAT(parts("one two", 7), ElementsAre("one two"));
  EXPECT_THAT(parts("", 7), ElementsAre(""));
}

TEST(LongSentenceTest, TheBestPlaceIsInTheSecondHalf) {
  EXPECT_THAT(parts("one, two; three four", 15), ElementsAre("one, two;", "three four"));
  EXPECT_THAT(parts("one two, three four", 15), ElementsAre("one two,", "three four"));
  EXPECT_THAT(parts("a; bc def ghi jkl mno", 15), ElementsAre("a; bc def ghi", "jkl mno"));
  EXPECT_THAT(parts("at 10:30 or 1,000 men", 13), ElementsAre("at 10:30 or", "1,000 men"));
  EXPECT_THAT(parts("abcdefghij", 4), ElementsAre("abcd", "efgh", "ij"));
}

TEST(LongSentenceTest, OtherScripts) {
  EXPECT_THAT(parts("我来了，他走了；她没有来", 8), ElementsAre("我来了，他走了；", "她没有来"));
  EXPECT_THAT(parts("我来了他走了她没有来", 4), ElementsAre("我来了他", "走了她没", "有来"));
  EXPECT_THAT(parts("e\xCC\x81"
                    "e\xCC\x81"
                    "e\xCC\x81",
                    3),
              ElementsAre("e\xCC\x81", "e\xCC\x81", "e\xCC\x81"));
  EXPECT_THAT(parts("👍🏽👍🏽", 3), ElementsAre("👍🏽", "👍🏽"));
}

TEST(LongSentenceTest, NoCutWithinASpanThatIsWhole) {
  EXPECT_THAT(parts("go to <a b c d> now", 10, {{6, 15}}), ElementsAre("go to", "<a b c d>", "now"));
  EXPECT_THAT(parts("go <a b c d e f g> now", 6, {{3, 18}}), ElementsAre("go", "<a b c d e f g>", "now"));
}

TEST(LongSentenceTest, PartsOfRandomTextFitAndLoseNothing) {
  const std::vector<std::string_view> pieces{
      "a",  "bcd", " ",        "  ", "; ",           ", ",           ":", "。", "，",
      "他", "é",   "\xCC\x81", "😀",  "\xE2\x80\x8D", "\xE3\x80\x80", "\n"};
  std::mt19937 random(5);
  for (int i = 0; i < 5000; ++i) {
    std::string text = "x";
    for (auto n = random() % 60; n > 0; --n) text += pieces[random() % pieces.size()];
    text += "x";
    const std::size_t limit = 8 + random() % 20;
    const auto fits = [&](std::string_view part) { return part.size() <= limit; };
    std::size_t end = 0;
    for (const auto& span : cut_long_sentence(text, fits)) {
      for (std::size_t gap = end; gap < span.begin;) {
        const auto [value, bytes] = decode_utf8(text, gap);
        EXPECT_TRUE(is_white_space(value.value_or(U'x'))) << text;
        gap += bytes;
      }
      EXPECT_LT(span.begin, span.end);
      EXPECT_TRUE(is_utf8(span.of(text)));
      end = span.end;
    }
    EXPECT_EQ(end, text.size());
  }
}

TEST(LongSentenceTest, FewCallsForALongLine) {
  for (const std::string_view piece : {"word ", "a, ", "x", "他", " "}) {
    std::string text = "a";
    while (text.size() < 60000) text += piece;
    text += "a";
    for (const std::size_t limit : {0, 1, 10, 2000}) {
      std::size_t calls = 0, bytes = 0;
      const auto fits = [&](std::string_view part) {
        ++calls;
        bytes += part.size();
        return part.size() <= limit;
      };
      const auto found = cut_long_sentence(text, fits);
      EXPECT_LE(calls, 10 + 30 * found.size()) << piece << limit;
      EXPECT_LE(bytes, 60 * text.size() + 100000) << piece << limit;
      const bool all_fit = std::ranges::all_of(found, [&](const TextSpan& span) { return span.size() <= limit; });
      EXPECT_TRUE(all_fit || limit < 10) << piece << limit;
    }
  }
}

}  // namespace
}  // namespace gloss
