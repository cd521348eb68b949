#include "documents/markup/markdown_syntax.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gloss {
namespace {

/// Returns what a function reads at the beginning of a text; "-" for nothing.
std::string read(std::size_t (*end_of)(std::string_view, std::size_t), std::string_view text) {
  const auto end = end_of(text, 0);
  return end == kNoMarkdown ? "-" : std::string(text.substr(0, end));
}

// The expected texts follow CommonMark 0.31, sections 4.6, 4.7, 6.3 and 6.6.
TEST(MarkdownSyntaxTest, LabelsHaveNoBracketsAndAreNotBlank) {
  EXPECT_EQ(read(markdown_label_end, "[a \\] b]c"), "[a \\] b]");
  for (const auto& text :
       std::vector<std::string>{"", "a]", "[a", "[]", "[ \n]", "[a[b]", "[" + std::string(1000, 'a') + "]"})
    EXPECT_EQ(read(markdown_label_end, text), "-") << text;
  EXPECT_EQ(markdown_label(" A\n \u00c4 b "), "a \u00e4 b");
}

TEST(MarkdownSyntaxTest, DestinationsBalanceParenthesesOrHaveAngleBrackets) {
  EXPECT_EQ(read(markdown_destination_end, "a(b(c))d)e"), "a(b(c))d");
  EXPECT_EQ(read(markdown_destination_end, "a\\)b c"), "a\\)b");
  EXPECT_EQ(read(markdown_destination_end, "<a b\\>>c"), "<a b\\>>");
  EXPECT_EQ(read(markdown_destination_end, "<>"), "<>");
  for (const auto& text : std::vector<std::string>{"", ")", " a", "<a", "<a\nb>", "<a<b>", std::string(40, '(')})
    EXPECT_EQ(read(markdown_destination_end, text), "-") << text;
}

TEST(MarkdownSyntaxTest, TitlesHaveQuotesOrParentheses) {
  EXPECT_EQ(read(markdown_title_end, "\"a 'b' \\\" c\" d"), "\"a 'b' \\\" c\"");
  EXPECT_EQ(read(markdown_title_end, "(a \\) b)"), "(a \\) b)");
  for (const auto& text : std::vector<std::string>{"", "a", "\"a", "(a (b)"})
    EXPECT_EQ(read(markdown_title_end, text), "-") << text;
}

TEST(MarkdownSyntaxTest, TagsFollowTheGrammar) {
  for (const std::string tag : {"<a>", "<a-1 />", "<a b c='>' d=\"\n\" e=f/>", "</a >", "<a _b:.-=c>", "<a  />"})
    EXPECT_EQ(read(markdown_tag_end, tag + "x"), tag);
  for (const auto& text : std::vector<std::string>{"<", "<1>", "< a>", "<a", "<a b='c", "<a b='c'd>", "<a b=>",
                                                   "</a b>", "<a h*>", "<a b=`>"})
    EXPECT_EQ(read(markdown_tag_end, text), "-") << text;
}

TEST(MarkdownSyntaxTest, DefinitionsEndWithTheirLine) {
  EXPECT_EQ(read(link_definition_end, "[a]: b 'c'\nd\n"), "[a]: b 'c'\n");
  EXPECT_EQ(read(link_definition_end, "[a]:\n<b c>\n'd\ne'  \nf\n"), "[a]:\n<b c>\n'd\ne'  \n");
  EXPECT_EQ(read(link_definition_end, "[a]: b\n'c' d\n"), "[a]: b\n");
  for (const auto& text : std::vector<std::string>{"[a]\n", "[a] : b\n", "[a]:\n", "[a]: b c\n", "[a]: <b>(c)\n"})
    EXPECT_EQ(read(link_definition_end, text), "-") << text;
}

TEST(MarkdownSyntaxTest, HtmlBlocksEndByTheirFirstLine) {
  EXPECT_EQ(html_block_end("<!-- a", true), "-->");
  EXPECT_EQ(html_block_end("<script src=a>", true), "</script>");
  EXPECT_EQ(html_block_end("<!doctype html>", true), ">");
  for (const auto* line : {"<div", "</div>", "<p class=a>b", "<hr/>"})
    EXPECT_EQ(html_block_end(line, true), "") << line;
  EXPECT_EQ(html_block_end("<span>", false), "");
  EXPECT_FALSE(html_block_end("<span>", true)) << "only some elements interrupt a paragraph";
  for (const auto* line : {"a", "<", "<span> a", "<divs a", "</script>", "<div/a"})
    EXPECT_FALSE(html_block_end(line, false)) << line;
}

TEST(MarkdownSyntaxTest, RowsOfTablesHaveCells) {
  const auto cells = [](std::string_view row) {
    std::string result;
    for (const auto cell : table_cells(row, {0, row.size()})) result.append("[").append(cell.of(row)).append("]");
    return result;
  };
  EXPECT_EQ(cells("| a | b c|"), "[a][b c]");
  EXPECT_EQ(cells("a|b \\| c|"), "[a][b \\| c]");
  EXPECT_EQ(cells("||a"), "[][a]");
  const auto is_delimiter = [](std::string_view row) { return is_table_delimiter_row(row, {0, row.size()}); };
  for (const auto* row : {"|-|", "---|:-:", "| :-- | --: |", "-"}) EXPECT_TRUE(is_delimiter(row)) << row;
  for (const auto* row : {"", "|", "| - a |", "::|-", "- -|-"}) EXPECT_FALSE(is_delimiter(row)) << row;
}

}  // namespace
}  // namespace gloss
