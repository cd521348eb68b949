#include "documents/model/inline_text.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace gloss {
namespace {

using Kind = InlineElement::Kind;

/// Returns a text with a tag for each word: "b" opens, "/b" closes, "." is a mark, "=" is a word.
InlineText paired(const std::vector<std::string>& tags) {
  InlineText text{std::string(tags.size(), 'x'), {}};
  std::vector<std::string> names;
  for (const auto& tag : tags) {
    InlineElement element;
    element.offset = text.elements.size();
    element.kind = tag == "."      ? Kind::kMark
                   : tag == "="    ? Kind::kWord
                   : tag[0] == '/' ? Kind::kClosing
                                   : Kind::kOpening;
    text.elements.push_back(element);
    names.push_back(tag.substr(tag[0] == '/' ? 1 : 0));
  }
  pair_elements(text, names);
  return text;
}

/// Returns the partner of each element; -1: none.
std::vector<int> partners(const InlineText& text) {
  std::vector<int> result;
  for (const auto& element : text.elements) result.push_back(static_cast<int>(element.partner));
  return result;
}

TEST(InlineTextTest, ClosingTagsTakeTheInnermostOpenTagOfTheirName) {
  EXPECT_EQ(partners(paired({"b", "i", "b", "/b", "/i", "/b"})), (std::vector<int>{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(partners(paired({"b", ".", "=", "/b"})), (std::vector<int>{3, -1, -1, 0}));
}

TEST(InlineTextTest, LoneAndCrossingTagsBecomeMarks) {
  const auto crossing = paired({"b", "i", "/b", "/i"});
  EXPECT_EQ(partners(crossing), (std::vector<int>{2, -1, 0, -1}));
  EXPECT_EQ(crossing.elements[1].kind, Kind::kMark);
  EXPECT_EQ(crossing.elements[3].kind, Kind::kMark);
  EXPECT_EQ(partners(paired({"/b", "b"})), (std::vector<int>{-1, -1}));
}

TEST(InlineTextTest, PairsOfRandomTagsAreWellNested) {
  std::mt19937 random(7);
  const std::vector<std::string> tags{"a", "/a", "b", "/b", "c", "/c", ".", "="};
  for (int round = 0; round < 500; ++round) {
    std::vector<std::string> chosen;
    for (auto count = random() % 12; count > 0; --count) chosen.push_back(tags[random() % tags.size()]);
    const auto text = paired(chosen);
    ASSERT_TRUE(is_well_nested(text));
    ASSERT_EQ(text.elements.size(), chosen.size());
  }
}

TEST(InlineTextTest, PairingManyTagsTakesLinearTime) {
  std::vector<std::string> tags(200'000, "a");
  tags.insert(tags.end(), 200'000, "/b");
  const auto partners_of_lone = partners(paired(tags));
  EXPECT_EQ(partners_of_lone.front(), -1);
}

TEST(InlineTextTest, NestingNeedsPartnersOrderAndWholeCharacters) {
  auto text = paired({"b", "i", "/i", "/b"});
  EXPECT_TRUE(is_well_nested(text));
  std::swap(text.elements[2], text.elements[3]);
  EXPECT_FALSE(is_well_nested(text));
  text = paired({".", "."});
  std::swap(text.elements[0].offset, text.elements[1].offset);
  EXPECT_FALSE(is_well_nested(text));
  text = paired({"b", "/b"});
  text.elements[1].partner = 1;
  EXPECT_FALSE(is_well_nested(text));
  text = paired({"."});
  text.text = "\u00e9";
  text.elements[0].offset = 1;
  EXPECT_FALSE(is_well_nested(text));
  text.elements[0].offset = 3;
  EXPECT_FALSE(is_well_nested(text));
}

TEST(InlineTextTest, AChangeIsOneOfTextOrElements) {
  const auto source = paired({"b", "/b", "."});
  EXPECT_TRUE(is_unchanged(source, source));
  auto target = source;
  target.text[0] = 'y';
  EXPECT_FALSE(is_unchanged(source, target));
  target = source;
  ++target.elements[2].offset;
  EXPECT_FALSE(is_unchanged(source, target));
  target = source;
  target.elements[1].source.end = 9;
  EXPECT_FALSE(is_unchanged(source, target));
  target.elements.pop_back();
  EXPECT_FALSE(is_unchanged(source, target));
}

}  // namespace
}  // namespace gloss
