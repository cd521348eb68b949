#include "serve/api/xml_text.h"

#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/http/api_error.h"
#include "tests/documents/model/markup_helpers.h"
#include "tests/documents/model/reader_helpers.h"

namespace gloss {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> texts_of(const std::string& xml, const XmlTextRules& rules = {}) {
  return marked_units(read_tagged_text(xml, rules));
}
std::string shouted_xml(const std::string& xml, const XmlTextRules& rules = {}) {
  return rendered_passage(read_tagged_text(xml, rules), shouted);
}

TEST(XmlText, FindsTheOutline) {
  EXPECT_THAT(texts_of("A <b>bold</b> man"), ElementsAre("A {<b>}bold{</b>} man"));
  EXPECT_THAT(texts_of("<doc><h>Title</h>\n <p>One <b>two<i>three</i></b></p><p><b>four</b></p></doc>"),
              ElementsAre("Title", "One {<b>}two{<i>}three{</i>}{</b>}", "four"));
  EXPECT_THAT(texts_of("text <ul><li>one</li><li>two</li></ul>").size(), 1);
  EXPECT_THAT(texts_of("<a>one</a> <b>two</b>"), ElementsAre("one", "two"));
  EXPECT_THAT(texts_of("<?xml version='1.0'?><!DOCTYPE a><a><b>one</b><b>two</b></a>"), ElementsAre("one", "two"));
}

TEST(XmlText, FollowsTheRules) {
  EXPECT_THAT(texts_of("<a>one</a> <b>two</b>", {.finds_outline = false}).size(), 1);
  EXPECT_THAT(texts_of("<a>one</a> <b>two</b>", {.non_splitting = {"a", "b"}}).size(), 1);
  EXPECT_THAT(texts_of("one<br/>two <b>three<br/>four</b>", {.splitting = {"br"}}),
              ElementsAre("one", "two {<b>}three", "four"));
  EXPECT_THAT(texts_of("one <x>no</x> two<x/>", {.ignored = {"x"}}), ElementsAre("one {<x>no</x>} two{<x/>}"));
  EXPECT_THAT(texts_of("<doc><x>no <p>no</p></x><p>yes</p></doc>", {.ignored = {"x"}}), ElementsAre("yes"));
  EXPECT_EQ(read_tagged_text("one", {.mode = SentenceMode::kWrapped}).units.front().mode, SentenceMode::kWrapped);
}

TEST(XmlText, KeepsWhatIsNotText) {
  EXPECT_EQ(shouted_xml("<doc a='b'><!-- c --><p>one &amp; two&nbsp;<b>three</b></p>\n</doc>"),
            "<doc a='b'><!-- c --><p>ONE &amp; TWO&nbsp;<b>THREE</b></p>\n</doc>");
  EXPECT_EQ(shouted_xml("a <![CDATA[<b> & c]]>"), "A &lt;b&gt; &amp; C");
  for (const auto* const text : {"", " \n", "<x id='0'></x>", "12", "<a/>"}) {
    EXPECT_EQ(shouted_xml(text), text);
    EXPECT_THAT(texts_of(text), IsEmpty());
  }
}

TEST(XmlText, RefusesWhatIsNotWellFormed) {
  for (const auto* const text : {"<a>", "</text><text>", "<a></b>", "a < b", "<a b=c/>", "<?xml", "<!DOCTYPE a>"})
    EXPECT_THROW(read_tagged_text(text, {}), ApiError) << text;
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  EXPECT_THROW(read_tagged_text(deep, {}), ApiError);
}

TEST(XmlText, ManyElementsTakeTimeInProportion) {
  std::string wide;
  for (int i = 0; i < 100'000; ++i) wide += "<a/><b>c</b>";
  EXPECT_EQ(texts_of(wide).size(), 100'000);
  const std::vector<std::string> names(100'000, "other");
  EXPECT_EQ(texts_of(wide, {.splitting = names, .non_splitting = names, .ignored = names}).size(), 100'000);
}

TEST(XmlText, AnyBytesAreReadOrRefused) {
  std::mt19937 random(7);
  const std::vector<std::string> pieces{"<p>",   "</p>", "<b>",  "</b>",  "<x/>",
                                        "text ", " ",    "&lt;", "&any;", "<!--c-->"};
  for (int i = 0; i < 3000; ++i) {
    auto text = random_document(random, pieces);
    if (i % 2 == 0) text = damaged(text, random);
    try {
      const auto found = shouted_xml(text, {.splitting = {"b"}, .ignored = {"x"}});
      EXPECT_NO_THROW(read_tagged_text(found, {})) << text;
    } catch (const ApiError&) {
    }
  }
}

}  // namespace
}  // namespace gloss
