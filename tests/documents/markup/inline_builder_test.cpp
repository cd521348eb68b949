#include "documents/markup/inline_builder.h"

#include <string>

#include <gtest/gtest.h>

namespace gloss {
namespace {

using Kind = InlineElement::Kind;

TEST(InlineBuilderTest, LeavesOutWhatSurroundsTheText) {
  InlineBuilder builder;
  builder.add_element(Kind::kOpening, {0, 3}, "a");
  builder.add_picture({3, 8});
  builder.add_text(" \n", {8, 10});
  builder.add_element(Kind::kOpening, {10, 13}, "b");
  builder.add_text(" one ", {13, 18});
  builder.add_element(Kind::kClosing, {18, 22}, "b");
  builder.add_text("two ", {22, 26});
  builder.add_element(Kind::kMark, {26, 30});
  builder.add_element(Kind::kClosing, {30, 34}, "a");
  const auto placed = builder.finish();
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->range, (TextSpan{10, 25}));
  EXPECT_EQ(placed->source.text, " one two");
  ASSERT_EQ(placed->source.elements.size(), 2u);
  EXPECT_EQ(placed->source.elements[0].partner, 1u);
  EXPECT_EQ(placed->source.elements[1].offset, 5u);
  EXPECT_TRUE(is_well_nested(placed->source));
  EXPECT_FALSE(builder.finish()) << "finish() begins anew";
}

TEST(InlineBuilderTest, SpacesOfReferencesStay) {
  InlineBuilder builder;
  builder.add_text(" ", {0, 5});
  builder.add_text("x", {5, 6});
  builder.add_text("\u00a0", {6, 12});
  const auto placed = builder.finish();
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->range, (TextSpan{5, 12}));
  EXPECT_EQ(placed->source.text, "x\u00a0");
}

TEST(InlineBuilderTest, APairWithoutContentIsAMark) {
  InlineBuilder builder;
  builder.add_text("a", {0, 1});
  builder.add_element(Kind::kOpening, {1, 4}, "i");
  builder.add_element(Kind::kClosing, {4, 8}, "i");
  builder.add_text("b", {8, 9});
  const auto placed = builder.finish();
  ASSERT_TRUE(placed && placed->source.elements.size() == 1);
  EXPECT_EQ(placed->source.elements[0].kind, Kind::kMark);
  EXPECT_EQ(placed->source.elements[0].source, (TextSpan{1, 8}));
}

/// Returns the text of "a", <t>, `content`, </t> and "b", with the bytes of elements in braces.
std::string with_pair(const std::string& content, bool is_reference) {
  InlineBuilder builder;
  const auto end = 4 + content.size();
  builder.add_text("a", {0, 1});
  builder.add_element(Kind::kOpening, {1, 4}, "t");
  builder.add_text(content, {4, end});
  builder.end_pair({end, end + 4}, "t", is_reference);
  builder.add_text("b", {end + 4, end + 5});
  const auto source = builder.finish().value().source;
  std::string result = source.text;
  for (const auto& element : source.elements)
    result += (element.kind == Kind::kWord ? " word " : " tag ") + std::to_string(element.source.size());
  return result;
}

TEST(InlineBuilderTest, APairOfSignsIsAWord) {
  EXPECT_EQ(with_pair("!", false), "ab word 8");
  EXPECT_EQ(with_pair("1", true), "ab word 8");
  EXPECT_EQ(with_pair("[12]", true), "ab word 11");
  EXPECT_EQ(with_pair("1", false), "a1b tag 3 tag 4");
  EXPECT_EQ(with_pair("x", true), "axb tag 3 tag 4");
  EXPECT_EQ(with_pair(" ", true), "a b tag 3 tag 4");
}

TEST(InlineBuilderTest, TextsWithoutLettersAreNoUnits) {
  for (const std::string text : {"", "  ", "12:30", "- * -",
                                 "\xff"
                                 "abc",
                                 "a\xc3"}) {
    InlineBuilder builder;
    builder.add_text(text, {0, text.size()});
    EXPECT_FALSE(builder.finish()) << text;
  }
}

TEST(InlineBuilderTest, LinesAreCountedFromOne) {
  LineNames names("a\nb\n\nc");
  EXPECT_EQ(names.of(0), "line 1");
  EXPECT_EQ(names.of(2), "line 2");
  EXPECT_EQ(names.of(2), "line 2");
  EXPECT_EQ(names.of(5), "line 4");
}

}  // namespace
}  // namespace gloss
