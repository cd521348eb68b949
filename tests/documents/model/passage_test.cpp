#include "documents/model/passage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace gloss {
namespace {

using Parts = std::vector<std::variant<std::string, TextSpan>>;

TEST(Replacements, BytesWithoutOneStay) {
  EXPECT_EQ(apply_replacements("a <b>c</b>", {}), "a <b>c</b>");
  EXPECT_EQ(apply_replacements("abcdef", {{{1, 3}, {"X"}}, {{5, 6}, {}}}), "aXde");
}

TEST(Replacements, MayComeInAnyOrder) {
  EXPECT_EQ(apply_replacements("abc", {{{2, 3}, {"3"}}, {{0, 1}, {"1"}}}), "1b3");
}

TEST(Replacements, InsertionsAtOnePlaceKeepTheirOrder) {
  EXPECT_EQ(apply_replacements("ab", {{{1, 1}, {"1"}}, {{1, 1}, {"2"}}, {{1, 2}, {"B"}}}), "a12B");
}

TEST(Replacements, ApplyWithinCopiedRanges) {
  // The unit [0, 20) moves its tag [2, 16) to the front; the title [12, 14) within the tag is translated, too.
  const std::string_view bytes = "x <a title='ab'/> yz!";
  const Replacement unit{{0, 20}, Parts{TextSpan{2, 17}, "YZ"}};
  EXPECT_EQ(apply_replacements(bytes, {unit, {{12, 14}, {"AB"}}}), "<a title='AB'/>YZ!");
}

TEST(Replacements, OfDroppedBytesAreADefect) {
  EXPECT_THROW(apply_replacements("abcdef", {{{0, 4}, {"X"}}, {{1, 2}, {"Y"}}}), Error);
}

TEST(Replacements, ThatOverlapAreADefect) {
  EXPECT_THROW(apply_replacements("abcdef", {{{0, 3}, {"X"}}, {{2, 5}, {"Y"}}}), Error);
}

TEST(Rendered, EscapesTextAndCopiesElements) {
  InlineText text{"a<b", {}};
  InlineElement tag;
  tag.offset = 1;
  tag.source = {7, 9};
  InlineElement placeholder;
  placeholder.offset = 3;
  placeholder.text = "<0/>";
  text.elements = {tag, placeholder};
  const auto escape = [](std::string_view part) { return "[" + std::string(part) + "]"; };
  EXPECT_THAT(rendered(text, escape), testing::ElementsAre("[a]", TextSpan{7, 9}, "[<b]", "[<0/>]"));
}

}  // namespace
}  // namespace gloss
