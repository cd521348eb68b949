#include "documents/markup/html.h"

#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "documents/markup/markup_tokenizer.h"
#include "tests/documents/model/markup_helpers.h"
#include "tests/documents/model/reader_helpers.h"

namespace gloss {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> units_of(std::string html) { return marked_units(read_html(std::move(html), {})); }
std::string shouted_html(std::string html) { return rendered_passage(read_html(std::move(html), {}), shouted); }

/// Returns names and attributes of tags, comments and scripts in order. Text is left out, and so are the values of
/// attributes that are translated.
std::vector<std::string> skeleton(const std::string& html) {
  std::vector<std::string> result;
  MarkupTokenizer tokenizer(html);
  for (MarkupToken token; tokenizer.next(token);) {
    if (token.kind == MarkupToken::Kind::kText) continue;
    if (token.kind != MarkupToken::Kind::kStartTag) {
      result.emplace_back(token.range.of(html));
      continue;
    }
    std::string tag = token.name;
    for (const auto& [name, value, quote] : token.attributes) {
      const bool is_text = name.of(html) == "title" || name.of(html) == "alt";
      tag.append(" ").append(name.of(html)).append("=").append(is_text ? "" : value.of(html));
    }
    result.push_back(tag);
  }
  return result;
}

const std::vector<std::string> kPieces{"<p>",
                                       "</p>",
                                       "<div>",
                                       "</div>",
                                       "<b>",
                                       "</b>",
                                       "<i class=x>",
                                       "</i>",
                                       "<a href='u' title=\"A tip\">",
                                       "</a>",
                                       "<br>",
                                       "<li>",
                                       "<ul>",
                                       "</ul>",
                                       "<code>",
                                       "</code>",
                                       "<img src=a alt=Dog>",
                                       "<span translate=no>",
                                       "</span>",
                                       "<span translate=yes>",
                                       "<pre>",
                                       "</pre>",
                                       "<svg>",
                                       "</svg>",
                                       "<script>if (a<b) {}</script>",
                                       "<style>p{}</style>",
                                       "<!-- note -->",
                                       "word ",
                                       "two words",
                                       "&amp;",
                                       "&nbsp;",
                                       "&foo;",
                                       "\n",
                                       "\r\n\r\n",
                                       " ",
                                       "<td>",
                                       "<table>",
                                       "</table>",
                                       "<textarea>x",
                                       "</textarea>",
                                       "\u00e9t\u00e9",
                                       "<",
                                       "<title>",
                                       "</title>",
                                       "<wbr>",
                                       "5 &lt; 6"};

TEST(HtmlTest, BlocksAreBordersAndInlineTagsArePairs) {
  EXPECT_THAT(units_of("<h1>Title</h1><p>A <b>bold</b> word.<br>Next<div>Last"),
              ElementsAre("Title", "A {<b>}bold{</b>} word.", "Next", "Last"));
  EXPECT_THAT(units_of("<ul><li>One<li>Two</ul><table><tr><td>a<td>b<th>c</table>"),
              ElementsAre("One", "Two", "a", "b", "c"));
}

TEST(HtmlTest, TagsAtTheEndsStayOutside) {
  EXPECT_THAT(units_of("<p> <b>All</b> <!-- c -->\n</p>"), ElementsAre("All"));
  EXPECT_THAT(units_of("<p><a id=x></a><i></i>Text <wbr><img src=i></p>"), ElementsAre("Text"));
  EXPECT_THAT(units_of("<p><i><b>a</b> c</i></p>"), ElementsAre("{<b>}a{</b>} c"));
  EXPECT_THAT(units_of("<p><code>ls</code> lists</p>"), ElementsAre("{<code>ls</code>} lists"));
  EXPECT_THAT(units_of("<p>12 <b>34</b></p><p>...</p>"), IsEmpty());
}

TEST(HtmlTest, CodeAndTranslateNoAreWords) {
  EXPECT_THAT(
      units_of("<p>Run <code>a <b>b</b></code> and <span class='x notranslate'>Acme <span>Inc</span></span> now"),
      ElementsAre("Run {<code>a <b>b</b></code>} and {<span class='x notranslate'>Acme <span>Inc</span></span>} "
                  "now"));
  EXPECT_THAT(units_of("<div translate=no><p>no</p><p translate=yes>yes</p><p class='a\nnotranslate'>no</div><p>Yes"),
              ElementsAre("yes", "Yes"));
  EXPECT_THAT(units_of("<p>a <span translate=no>no <b translate=yes>yes</b> no</span> b"),
              ElementsAre("a {<span translate=no>no }", "yes", "b"));
  const DocumentOptions keeps_x{.name = {}, .source_language = {}, .target_language = {}, .kept_elements = {"x"}};
  EXPECT_THAT(marked_units(read_html("<p>a <X>no</X> b</p><x>no<p>no</p></x><p>c</p>", keeps_x)),
              ElementsAre("a {<X>no</X>} b", "c"));
  EXPECT_THAT(units_of("<p>Use <code>foo<p>Next"), ElementsAre("Use {<code>foo}", "Next"));
  EXPECT_THAT(units_of("<li translate=no>no<li>yes"), ElementsAre("yes"));
  EXPECT_THAT(units_of("<p>a<script>x</script>b <textarea>c</textarea>d <svg><p>e</p></svg> f"),
              ElementsAre("a{<script>x</script>}b {<textarea>c</textarea>}d {<svg><p>e</p></svg>} f"));
}

TEST(HtmlTest, PreformattedTextIsTranslatedUnlessItIsCode) {
  const auto prose = read_html("<pre>Dear all,\n\nbye</pre>", {});
  EXPECT_THAT(marked_units(prose), ElementsAre("Dear all,\n\nbye"));
  EXPECT_EQ(prose.units[0].mode, SentenceMode::kLine);
  EXPECT_THAT(units_of("<pre class=c>a</pre><pre>b <span>c</span></pre><pre><code>d</code> e</pre><p>f"),
              ElementsAre("f"));
}

TEST(HtmlTest, EmptyLinesEndNoParagraph) {
  const auto passage = read_html("<p>a\r\n\r\n b<i>\n\nc</i>\n<!-- x -->\nd</p>", {});
  EXPECT_EQ(passage.units[0].source.text, "a\r\n   b\n c\n d");
  EXPECT_EQ(passage.units[0].mode, SentenceMode::kWrapped);
}

TEST(HtmlTest, AttributesForPeopleAreUnits) {
  EXPECT_THAT(units_of("<img alt='A dog' title=\"B &amp; c\" id=d><input type=submit value=Go><input value=x "
                       "placeholder=Name><meta name=Description content='About'><meta name=x content=y>"
                       "<meta property=og:title content=T><link title=L><button aria-label='Close it'>x</button>"),
              ElementsAre("A dog", "B & c", "Go", "Name", "About", "T", "Close it", "x"));
  EXPECT_THAT(units_of("<p translate=no title=a>b</p><code title=c>d</code>"), ElementsAre("c"));
}

TEST(HtmlTest, OnlyTranslatedTextChanges) {
  EXPECT_EQ(shouted_html("<P Class = 'a'  >caf&eacute; &amp; t\u00ean&nbsp;<B >x</B\n> &foo; &lt;<!-- c --> y</P >"),
            "<P Class = 'a'  >CAF\u00e9 &amp; T\u00eaN&nbsp;<B >X</B\n> &foo; &lt;<!-- c --> Y</P >");
  EXPECT_EQ(shouted_html("<p>5 &#60; caf&eacute;\u00a0</p><p>\u00e9&eacute; &AMP</p>"),
            "<p>5 &lt; CAF\u00e9\u00a0</p><p>\u00e9&eacute; &AMP</p>");
}

TEST(HtmlTest, AttributesAreEscapedForTheirQuotes) {
  const auto passage = read_html("<img alt=dog title='a' id=x/>z<i title=\"b\">y</i>", {});
  const auto quoting = [](const InlineText& text) {
    auto result = text;
    result.text += " \"'&<";
    return result;
  };
  EXPECT_EQ(rendered_passage(passage, quoting),
            "<img alt=\"dog &quot;'&amp;&lt;\" title='a \"&#39;&amp;&lt;' id=x/>z<i title=\"b &quot;'&amp;&lt;\">"
            "y</i> \"'&amp;&lt;");
}

TEST(HtmlTest, TheLanguageBecomesThatOfTheTranslation) {
  DocumentOptions options;
  options.target_language = "de";
  const auto passage = read_html("<html lang=en xml:lang='en'><p lang=fr>un</p>", options);
  EXPECT_EQ(rendered_passage(passage, unchanged), "<html lang=\"de\" xml:lang='de'><p lang=fr>un</p>");
  EXPECT_EQ(rendered_passage(read_html("<html lang=en><p>a</p>", {}), unchanged), "<html lang=en><p>a</p>");
}

TEST(HtmlTest, ADeclaredEncodingBecomesUtf8) {
  const auto rendered = [](const std::string& head) {
    return rendered_passage(read_html(head + "<p>a</p>", {}), unchanged);
  };
  EXPECT_EQ(rendered("<meta charset=iso-8859-1>"), "<meta charset=utf-8><p>a</p>");
  EXPECT_EQ(rendered("<META CharSet='Latin1'>"), "<META CharSet='utf-8'><p>a</p>");
  EXPECT_EQ(rendered("<meta http-equiv=Content-Type content=\"text/html; Charset=windows-1252; x\">"),
            "<meta http-equiv=Content-Type content=\"text/html; Charset=utf-8; x\"><p>a</p>");
  EXPECT_EQ(rendered("<?xml version='1.0' encoding='us-ascii'?>"), "<?xml version='1.0' encoding='utf-8'?><p>a</p>");
  for (const std::string kept : {"<meta charset=\"UTF-8\">", "<meta charset>", "<meta name=x content='charset=a'>",
                                 "<?xml version='1.0' encoding='utf-16'?>"})
    EXPECT_EQ(rendered(kept), kept + "<p>a</p>");
}

TEST(HtmlTest, UnitsAreNamedByTheirLine) {
  const auto passage = read_html("<p>a\n<b title=t>b</b></p>\n<p>\n c</p>", {});
  std::vector<std::string> ids;
  for (const auto& unit : passage.units) ids.push_back(unit.id);
  EXPECT_THAT(ids, ElementsAre("line 1", "line 2", "line 4"));
}

TEST(HtmlTest, XhtmlIsReadAsXml) {
  EXPECT_THAT(units_of("<?xml version='1.0'?><h:p>a <h:b>b</h:b><h:i/> c<h:script/> <![CDATA[x<y]]> d</h:p>"),
              ElementsAre("a {<h:b>}b{</h:b>}{<h:i/>} c{<h:script/>} {<![CDATA[x<y]]>} d"));
}

TEST(HtmlTest, RandomDocumentsKeepTheirMarkup) {
  std::mt19937 random(3);
  for (int round = 0; round < 1500; ++round) {
    const auto html = random_document(random, kPieces);
    const auto passage = read_html(html, {});
    for (const auto& unit : passage.units) ASSERT_TRUE(is_well_nested(unit.source)) << html;
    ASSERT_EQ(rendered_passage(passage, unchanged), html);
    ASSERT_EQ(skeleton(rendered_passage(passage, shouted)), skeleton(html)) << html;
  }
}

TEST(HtmlTest, DamagedDocumentsKeepAllBytes) {
  std::mt19937 random(4);
  for (int round = 0; round < 1500; ++round) {
    const auto html = damaged(random_document(random, kPieces), random);
    const auto passage = read_html(html, {});
    for (const auto& unit : passage.units) ASSERT_TRUE(is_well_nested(unit.source)) << html;
    ASSERT_EQ(rendered_passage(passage, unchanged), html);
    ASSERT_EQ(rendered_passage(passage, shouted).size() >= html.size() / 2, true);
  }
  std::string bytes(300, '\0');
  for (int round = 0; round < 300; ++round) {
    for (auto& c : bytes) c = static_cast<char>(random());
    ASSERT_EQ(rendered_passage(read_html(bytes, {}), unchanged), bytes);
  }
}

TEST(HtmlTest, TruncatedDocumentsAreValid) {
  const std::string html = "<p title='a &amp; b'>x <b>y<!-- z --></b><code>v</code></p><script>a</script>&eacute;";
  for (std::size_t size = 0; size <= html.size(); ++size)
    EXPECT_EQ(rendered_passage(read_html(html.substr(0, size), {}), unchanged), html.substr(0, size));
}

TEST(HtmlTest, DeepAndUnclosedElementsAreBounded) {
  for (const std::string tag : {"<div>", "<b>", "<code>", "<span translate=no>", "<span translate=yes>", "<p>a<b>",
                                "<li>a", "</b>", "<pre>", "<svg>", "<table><td>a"}) {
    std::string html;
    while (html.size() < 300'000) html += tag;
    html += "end";
    EXPECT_EQ(rendered_passage(read_html(html, {}), unchanged), html) << tag;
  }
}

TEST(HtmlTest, ElementsInOtherLanguagesStay) {
  DocumentOptions options;
  options.source_language = "en-US";
  const std::string html =
      "<html lang=fr><p lang=fr title=un>deux</p><p lang=EN>a <i xml:lang='de-AT'>b</i> c</p><p lang=''>d</p></html>";
  EXPECT_THAT(marked_units(read_html(html, options)), ElementsAre("a {<i xml:lang='de-AT'>b</i>} c", "d"));
  EXPECT_THAT(units_of(html), ElementsAre("un", "deux", "a {<i xml:lang='de-AT'>}b{</i>} c", "d"));
}

TEST(HtmlTest, XhtmlNeedsNoXmlDeclaration) {
  EXPECT_THAT(units_of("<!DOCTYPE html>\n<html lang='en' xmlns='http://www.w3.org/1999/xhtml'><head><title>One</title>"
                       "<script src='a.js'/></head><body><p>Two</p></body></html>"),
              ElementsAre("One", "Two"));
}

}  // namespace
}  // namespace gloss
