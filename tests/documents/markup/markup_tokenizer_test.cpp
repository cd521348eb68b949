#include "documents/markup/markup_tokenizer.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gloss {
namespace {

using ::testing::ElementsAre;

/// Returns the tokens with a letter for their kind: text, start tag, end tag, data, comment. The tokens cover all
/// bytes.
std::vector<std::string> tokens(const std::string& bytes) {
  std::vector<std::string> result;
  MarkupTokenizer tokenizer(bytes);
  std::size_t end = 0;
  for (MarkupToken token; tokenizer.next(token); end = token.range.end) {
    EXPECT_EQ(token.range.begin, end);
    EXPECT_LT(token.range.begin, token.range.end);
    result.push_back(std::string(1, "tsedc"[static_cast<int>(token.kind)]) + " " + std::string(token.range.of(bytes)));
  }
  EXPECT_EQ(end, bytes.size());
  return result;
}

/// Returns the attributes of the first tag, as name=value with the quotes.
std::vector<std::string> attributes(const std::string& bytes) {
  MarkupTokenizer tokenizer(bytes);
  MarkupToken token;
  tokenizer.next(token);
  std::vector<std::string> result;
  for (const auto& [name, value, quote] : token.attributes) {
    const std::string quotes(quote == 0 ? 0 : 1, quote);
    result.push_back(std::string(name.of(bytes)) + "=" + quotes + std::string(value.of(bytes)) + quotes);
  }
  return result;
}

// Expected tokens follow the tokenizer of the WHATWG standard; html5lib gives the same.
TEST(MarkupTokenizerTest, SplitsTagsTextAndComments) {
  EXPECT_THAT(tokens("a<p class=x>b</p ><!-- <i> --><!DOCTYPE html><?php x?>c"),
              ElementsAre("t a", "s <p class=x>", "t b", "e </p >", "c <!-- <i> -->", "c <!DOCTYPE html>",
                          "c <?php x?>", "t c"));
  EXPECT_THAT(tokens("1 < 2 <3 </ x></><a"), ElementsAre("t 1 < 2 <3 ", "c </ x>", "c </>", "c <a"));
  EXPECT_THAT(tokens("</"), ElementsAre("t </"));
  EXPECT_THAT(tokens("<"), ElementsAre("t <"));
}

TEST(MarkupTokenizerTest, CommentsEndAsInBrowsers) {
  EXPECT_THAT(tokens("<!-->a"), ElementsAre("c <!-->", "t a"));
  EXPECT_THAT(tokens("<!--->a"), ElementsAre("c <!--->", "t a"));
  EXPECT_THAT(tokens("<!--x--!>a"), ElementsAre("c <!--x--!>", "t a"));
  EXPECT_THAT(tokens("<!--x--->a"), ElementsAre("c <!--x--->", "t a"));
  EXPECT_THAT(tokens("<!--x-- >a"), ElementsAre("c <!--x-- >a"));
}

TEST(MarkupTokenizerTest, ReadsAttributesWithAllQuotes) {
  EXPECT_THAT(attributes("<a b=\"1>\" C = '2' d=3/ e f= g=\"\"/>"),
              ElementsAre("b=\"1>\"", "C='2'", "d=3/", "e=", "f=g=\"\"/"));
  EXPECT_THAT(attributes("<a =b \"c\" d=>"), ElementsAre("=b=", "\"c\"=", "d="));
  std::string many = "<a";
  for (int i = 0; i < 3000; ++i) many += " b";
  EXPECT_EQ(attributes(many + ">").size(), MarkupTokenizer::kMaxAttributes);
}

TEST(MarkupTokenizerTest, RawTextEndsWithItsTag) {
  EXPECT_THAT(tokens("<script>a<b></p></scripty></SCRIPT >c"),
              ElementsAre("s <script>", "d a<b></p></scripty>", "e </SCRIPT >", "t c"));
  EXPECT_THAT(tokens("<title>a<b>&amp;</title>"), ElementsAre("s <title>", "t a<b>&amp;", "e </title>"));
  EXPECT_THAT(tokens("<style></style>"), ElementsAre("s <style>", "e </style>"));
  EXPECT_THAT(tokens("<textarea><p>"), ElementsAre("s <textarea>", "t <p>"));
  EXPECT_THAT(tokens("<plaintext></plaintext>"), ElementsAre("s <plaintext>", "d </plaintext>"));
  EXPECT_THAT(tokens("<script><!--<script></script>x</script>y"),
              ElementsAre("s <script>", "d <!--<script></script>x", "e </script>", "t y"));
  EXPECT_THAT(tokens("<script><!--<script>--></script>y"),
              ElementsAre("s <script>", "d <!--<script>-->", "e </script>", "t y"));
}

TEST(MarkupTokenizerTest, XmlHasEmptyElementsCdataAndPrefixes) {
  const std::string xml = "<?xml version='1.0'?>";
  EXPECT_THAT(tokens(xml + "<!DOCTYPE a [<!ENTITY b 'c'>]><title/>a<?x > ?>"),
              ElementsAre("c " + xml, "c <!DOCTYPE a [<!ENTITY b 'c'>]>", "s <title/>", "t a", "c <?x > ?>"));
  EXPECT_THAT(tokens(xml + "<![CDATA[a > b]]>c"), ElementsAre("c " + xml, "d <![CDATA[a > b]]>", "t c"));
  EXPECT_THAT(tokens("<![CDATA[a > b]]>c"), ElementsAre("c <![CDATA[a >", "t  b]]>c"));
  EXPECT_THAT(tokens("<svg><![CDATA[a > b]]><title><a></svg><title><a>"),
              ElementsAre("s <svg>", "d <![CDATA[a > b]]>", "s <title>", "s <a>", "e </svg>", "s <title>", "t <a>"));
  MarkupTokenizer tokenizer("<?xml?><h:BR/>");
  MarkupToken token;
  tokenizer.next(token);
  tokenizer.next(token);
  EXPECT_EQ(token.name, "br");
  EXPECT_TRUE(token.self_closing);
}

TEST(MarkupTokenizerTest, ManyUnfinishedConstructsTakeLinearTime) {
  for (const std::string piece : {"<", "</", "<!--", "<a b='", "<!x", "<script>", "<![CDATA[", "&", "<!---", "--!"}) {
    std::string bytes;
    while (bytes.size() < 500'000) bytes += piece;
    EXPECT_FALSE(tokens(bytes).empty());
  }
}

}  // namespace
}  // namespace gloss
