#include "documents/markup/markdown_emphasis.h"

#include <string>

#include <gtest/gtest.h>

namespace gloss {
namespace {

/// Returns the text with ( and ) in place of single delimiters that are paired, and { and } in place of double ones.
std::string paired(std::string text) {
  MarkdownEmphasis emphasis;
  for (std::size_t at = 0; at < text.size();) {
    const bool is_delimiter = std::string_view("*_~").find(text[at]) != std::string_view::npos;
    at = is_delimiter ? emphasis.add_run(text, at, at) : at + 1;
  }
  for (const auto& [opening, closing, width] : emphasis.pairs_after(MarkdownEmphasis::kNone)) {
    text.replace(opening, width, width, width == 2 ? '{' : '(');
    text.replace(closing, width, width, width == 2 ? '}' : ')');
  }
  EXPECT_EQ(emphasis.last(), MarkdownEmphasis::kNone);
  return text;
}

// From the examples of CommonMark, section 6.2.
TEST(MarkdownEmphasisTest, PairsRunsAsCommonMark) {
  EXPECT_EQ(paired("*a* **b** ***c***"), "(a) {{b}} ({{c}})");
  EXPECT_EQ(paired("*a **b** c*"), "(a {{b}} c)");
  EXPECT_EQ(paired("**a *b***"), "{{a (b)}}");
  EXPECT_EQ(paired("*a**b*"), "(a**b)");
  EXPECT_EQ(paired("a * b * c"), "a * b * c");
  EXPECT_EQ(paired("snake_case_name _x_"), "snake_case_name (x)");
  EXPECT_EQ(paired("a*b*c a_b_c"), "a(b)c a_b_c");
  EXPECT_EQ(paired("*a _b* c_"), "(a _b) c_");
  EXPECT_EQ(paired("*(*a*)*"), "(((a)))");
  EXPECT_EQ(paired("****a*"), "***(a)");
}

TEST(MarkdownEmphasisTest, StrikethroughNeedsEqualRuns) {
  EXPECT_EQ(paired("~~a~~ ~b~ ~~c~ ~~~d~~~"), "{{a}} (b) ~~c~ ~~~d~~~");
}

TEST(MarkdownEmphasisTest, RunsBeforeTheBottomStay) {
  MarkdownEmphasis emphasis;
  const std::string text = "*a *b* c*";
  emphasis.add_run(text, 0, 0);
  const auto bottom = emphasis.last();
  emphasis.add_run(text, 3, 3);
  emphasis.add_run(text, 5, 5);
  const auto inner = emphasis.pairs_after(bottom);
  ASSERT_EQ(inner.size(), 1u);
  EXPECT_EQ(inner[0].opening, 3u);
  emphasis.add_run(text, 8, 8);
  const auto outer = emphasis.pairs_after(MarkdownEmphasis::kNone);
  ASSERT_EQ(outer.size(), 1u);
  EXPECT_EQ(outer[0].opening, 0u);
  EXPECT_EQ(outer[0].closing, 8u);
}

}  // namespace
}  // namespace gloss
