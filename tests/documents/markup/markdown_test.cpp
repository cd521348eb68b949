#include "documents/markup/markdown.h"

#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/documents/model/markup_helpers.h"
#include "tests/documents/model/reader_helpers.h"

namespace gloss {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> units_of(std::string markdown) {
  const auto passage = read_markdown(DocumentInput::of(std::move(markdown), "a.md"), {})->next();
  return passage ? marked_units(*passage) : std::vector<std::string>();
}

std::string with(const FakeTranslation& fake, std::string markdown) {
  return rendered_document(*read_markdown(DocumentInput::of(std::move(markdown), "a.md"), {}), fake);
}

/// Returns a fake that translates every text to `target`, without elements.
FakeTranslation always(std::string target) {
  return [target](const InlineText& text) {
    InlineText result{target, text.elements};
    for (auto& element : result.elements) element.offset = 0;
    return result;
  };
}

// Expected units follow CommonMark 0.31 and GFM, as markdown-it-py reads them.
TEST(MarkdownTest, ParagraphsHeadingsListsQuotesAndCellsAreUnits) {
  EXPECT_THAT(units_of("# One #\n\nTwo\nlines\n===\n- three\n  four\n\n   five\n1) six\n> seven\neight\n\n> - nine\n"),
              ElementsAre("One", "Two\nlines", "three\nfour", "five", "six", "seven\neight", "nine"));
  EXPECT_THAT(units_of("text\n\n| a | `b\\|` | \n|:-:|---|\n| c \\| d | 1 |\ne|f\n\ng"),
              ElementsAre("text", "a", "c | d", "e", "f", "g"));
}

TEST(MarkdownTest, CodeHtmlDefinitionsAndFrontMatterAreNoUnits) {
  EXPECT_THAT(
      units_of("---\ntitle: a\n---\n\n    code\n\n```sh\ncode\n\n# code\n```\n<div>\nhtml\n\n[label]: /url\n'Title'\n"
               "- ~~~\n  code\nText\n\n<!-- a\n\nb -->\n<span class=a>\nhtml\n\n***\n\tcode\n"),
      ElementsAre("Text"));
  EXPECT_THAT(units_of("+++\na = 1\n+++\nb"), ElementsAre("b"));
  EXPECT_THAT(units_of("---\nno end"), ElementsAre("no end"));
}

TEST(MarkdownTest, BoxesOfTasksStay) {
  EXPECT_EQ(with(shouted, "- [ ] one\n- [x] two\n  more\n1. [X] three\n   - [ ] four\n\n[x] a\n- [y] b\n- [ ]c\n"),
            "- [ ] ONE\n- [x] TWO\n  MORE\n1. [X] THREE\n   - [ ] FOUR\n\n\\[X\\] A\n- \\[Y\\] B\n- \\[ \\]C\n");
  EXPECT_EQ(with(shouted, "- [x] a [x]\n\n[x]: /y\n"), "- [x] A [X][x]\n\n[x]: /y\n");
}

TEST(MarkdownTest, FormulasAreWords) {
  EXPECT_THAT(units_of("a $x^2$ b $$y *z* \\$ 1\nw$$ c ($n$)"),
              ElementsAre("a {$x^2$} b {$$y *z* \\$ 1\nw$$} c ({$n$})"));
  EXPECT_THAT(units_of("for $5 and $6, US$7/A$8, a $ b, \\$d"), ElementsAre("for $5 and $6, US$7/A$8, a $ b, $d"));
  EXPECT_THAT(units_of("a\n$$\nx\n- y\n$$\nb"), ElementsAre("a", "b"));
  EXPECT_EQ(with(unchanged, "$$ $ $ a$ $1"), "$$ $ $ a$ $1");
}

TEST(MarkdownTest, InlineMarkupIsKept) {
  EXPECT_THAT(
      units_of("a `b` **c *d* e** [f](/g \"h\") <http://i> <b>j</b> https://k_l/m. n\\* &amp; &foo; ~~o~~."),
      ElementsAre("a {`b`} {**}c {*}d{*} e{**} {[}f{](/g \"h\")} {<http://i>} {<b>}j{</b>} {https://k_l/m}. n* & "
                  "{&foo;} {~~}o{~~}."));
  EXPECT_THAT(units_of("a ![b *c* d](e) f, x[^1] <kbd>Ctrl</kbd> y\n\n[^1]: Note\n"),
              ElementsAre("a {![b *c* d](e)} f, x{[^1]} {<kbd>Ctrl</kbd>} y", "b {*}c{*} d", "Note"));
  EXPECT_THAT(units_of("a  \nb\\\nc<br>d *e*"), ElementsAre("a", "b", "c", "d {*}e{*}"));
  EXPECT_THAT(units_of("**All** [b]\n\n![](x) snake_case * 5"), ElementsAre("{**}All{**} [b]", "snake_case * 5"));
}

TEST(MarkdownTest, OnlyTextChanges) {
  const std::string markdown =
      "Setext\r\n---\r\n> *  one `two`\r\n>    three\\!\r\n\r\n| a|b |\r\n|-|-|\r\n|c |\r\n\r\n[x]: y\r\n";
  EXPECT_EQ(with(unchanged, markdown), markdown);
  EXPECT_EQ(with(shouted, markdown),
            "SETEXT\r\n---\r\n> *  ONE `two`\r\n>    THREE!\r\n\r\n| A|B |\r\n|-|-|\r\n|C |\r\n\r\n[x]: y\r\n");
}

TEST(MarkdownTest, LinksKeepTheirLabels) {
  EXPECT_EQ(with(shouted, "[a b], [c][], [d][e], ![f] and [no]\n\n[a b]: 1\n[C]: 2\n[e]: 3\n[f]: 4\n"),
            "[A B][a b], [C][c], [D][e], ![F][f] AND \\[NO\\]\n\n[a b]: 1\n[C]: 2\n[e]: 3\n[f]: 4\n");
  EXPECT_EQ(with(shouted, "[Docs]\n\n[docs]: /x\n"), "[DOCS][Docs]\n\n[docs]: /x\n");
  EXPECT_EQ(with(unchanged, "[docs] a\n\n[docs]: /x\n"), "[docs] a\n\n[docs]: /x\n");
}

TEST(MarkdownTest, TranslationsAreNoMarkup) {
  EXPECT_EQ(with(always("a *b* _c_ d_e `f` [g](h) <i> &amp; \\ ~j~"), "x"),
            "a \\*b\\* \\_c\\_ d_e &#96;f&#96; \\[g\\](h) \\<i> &amp;amp; \\\\ \\~j\\~");
  for (const auto& [text, written] : std::vector<std::pair<std::string, std::string>>{{"- a", "\\- a"},
                                                                                      {"+ a", "\\+ a"},
                                                                                      {"1. a", "1\\. a"},
                                                                                      {"12) a", "12\\) a"},
                                                                                      {"# a", "\\# a"},
                                                                                      {"> a", "\\> a"},
                                                                                      {"=", "\\="},
                                                                                      {"1.5 a - b", "1\\.5 a - b"},
                                                                                      {"2 * 3", "2 * 3"}})
    EXPECT_EQ(with(always(text), "x"), written);
  EXPECT_EQ(with(always("a\n- b"), "> x\n> y"), "> a\n> \\- b");
  EXPECT_EQ(with(always("a|b"), "|x|\n|-|\n"), "|a\\|b|\n|-|\n");
  EXPECT_EQ(with(always("C #"), "# x"), "# C \\#");
}

TEST(MarkdownTest, BackticksDoNotEndCodeThatBeginsBefore) {
  EXPECT_EQ(with(shouted, "`1  \na``"), "`1  \nA&#96;&#96;");
}

TEST(MarkdownTest, EmptyDocumentsHaveNoPassage) {
  EXPECT_EQ(with(shouted, ""), "");
  EXPECT_THAT(units_of(""), IsEmpty());
  EXPECT_EQ(with(shouted, "***\n"), "***\n");
}

TEST(MarkdownTest, RandomDocumentsKeepAllBytesAndTheirUnits) {
  const std::vector<std::string> pieces{
      "# ",     "> ",   "- ",      "1. ",       "\n",     "\n\n",  "\r\n",  "    ",         "\t",   "```\n",
      "*",      "**",   "_",       "~~",        "`",      "[",     "]",     "](/u)",        "![",   "[a]: /b\n",
      "[a]",    "| ",   "|-|-|\n", "<b>",       "</b>",   "<br>",  "<div>", "<!--",         "-->",  "&amp;",
      "\\",     "  \n", "word ",   "two words", "\u00e9", "---\n", "===\n", "http://a.b/c", "[^1]", "[^1]: ",
      "<a b='", "!",    "(",       ")"};
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    const auto markdown = random_document(random, pieces);
    const auto passage = read_markdown(DocumentInput::of(markdown, "a.md"), {})->next();
    if (!passage) continue;
    for (const auto& unit : passage->units) ASSERT_TRUE(is_well_nested(unit.source)) << markdown;
    ASSERT_EQ(rendered_passage(*passage, unchanged), markdown);
  }
}

TEST(MarkdownTest, RandomDocumentsKeepTheirShape) {
  const std::vector<std::string> blocks{"# ",
                                        "> ",
                                        "- ",
                                        "1. ",
                                        "\n",
                                        "\n\n",
                                        "\r\n",
                                        "    ",
                                        "\t",
                                        "---\n",
                                        "===\n",
                                        "```\nx\n```\n",
                                        "|a|b|\n|-|-|\n| ",
                                        "| ",
                                        "[^1]: ",
                                        "\\\n",
                                        "<p>\n",
                                        "[a]: /b\n"};
  const std::vector<std::string> texts{
      "*one* ", "**two *three*** ", "_four_ ",  "~~five~~ ", "`c` ",     "[six](/u) ",
      "[a] ",   "![seven](/i) ",    "[^1] ",    "<b>8</b> ", "&amp; ",   "\\* ",
      "nine\n", "ten  \n",          "snake_x ", "2 * 3 ",    "\u00e9l ", "http://a.b/c "};
  std::mt19937 random(8);
  for (int round = 0; round < 3000; ++round) {
    std::string markdown;
    for (auto count = random() % 12; count > 0; --count)
      markdown += blocks[random() % blocks.size()] + random_document(random, texts) + "\n";
    const auto passage = read_markdown(DocumentInput::of(markdown, "a.md"), {})->next();
    if (!passage) continue;
    ASSERT_EQ(rendered_passage(*passage, unchanged), markdown);
    const auto after = rendered_passage(*passage, shouted);
    ASSERT_EQ(units_of(after).size(), passage->units.size()) << markdown << "\n\n" << after;
  }
}

TEST(MarkdownTest, ManyUnfinishedConstructsTakeLinearTime) {
  for (const std::string piece :
       {"*a ", "a**b", "_a_", "[",  "![",    "[a](",   "](", "<",  "<a b=\"", "<!--",    "`a``",    "> ",    "- ",
        "1. ", "|",    "&",   "\\", "[a]: ", "[a](<b", "<?", "~a", "*_",      "![a](b)", "[[a](b)", "<code>"}) {
    std::string markdown;
    while (markdown.size() < 200'000) markdown += piece;
    EXPECT_EQ(with(unchanged, markdown), markdown) << piece;
  }
}

TEST(MarkdownTest, AlertsStayAndLinksKeepTheirBrackets) {
  EXPECT_EQ(with(shouted, "> [!NOTE]\n> One\n\n> two\n> [!a] x\n"), "> [!NOTE]\n> ONE\n\n> TWO\n> \\[!A\\] X\n");
  EXPECT_THAT(units_of("a (https://x.y/a_(b)). ~~https://x.y/~c~~ www.x.y?"),
              ElementsAre("a ({https://x.y/a_(b)}). {~~}{https://x.y/~c}{~~} {www.x.y}?"));
}

}  // namespace
}  // namespace gloss
