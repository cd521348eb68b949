#include "documents/markup/html_entities.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace gloss {
namespace {

std::string decoded(std::string_view text, bool in_attribute = false) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto reference = text[i] == '&' ? reference_at(text, i, in_attribute) : CharacterReference{};
    const bool is_unknown = reference.bytes > 0 && reference.text.empty();
    result += reference.bytes == 0 ? text.substr(i, 1) : is_unknown ? "?" : reference.text;
    i += std::max<std::size_t>(reference.bytes, 1);
  }
  return result;
}

// Expected texts are those of Python's html.unescape.
TEST(HtmlEntitiesTest, DecodesNamesAndNumbers) {
  EXPECT_EQ(decoded("&lt;&gt;&amp;&quot;&apos;&nbsp;&copy;&Eacute;&eacute;&Scaron;&zcaron;&Zdot;&lstrok;"),
            "<>&\"'\u00a0©ÉéŠžŻł");
  EXPECT_EQ(decoded("&hellip;&euro;&rarr;&hearts;&Omega;&thetasym;&lang;&rang;&zwj;"), "…€→♥Ωϑ⟨⟩\u200d");
  EXPECT_EQ(decoded("&#65;&#x42;&#X43;&#68 &#x1F600;&#0000069;"), "ABCD 😀E");
}

TEST(HtmlEntitiesTest, NumbersOfWindowsAndInvalidOnesAreThoseOfBrowsers) {
  EXPECT_EQ(decoded("&#128;&#150;&#x99;&#159;"), "€–™Ÿ");
  EXPECT_EQ(decoded("&#0;&#xD800;&#x110000;&#99999999999999999999;"), "\ufffd\ufffd\ufffd\ufffd");
  EXPECT_EQ(decoded("&#;&#x;&#xg;&#"), "&#;&#x;&#xg;&#");
}

TEST(HtmlEntitiesTest, OldNamesNeedNoSemicolon) {
  EXPECT_EQ(decoded("AT&T &copy2024 &eacute. &notit &ampamp; &COPY &hellip &apos &"),
            "AT&T ©2024 é. ¬it ? © &hellip &apos &");
  EXPECT_EQ(decoded("?a=1&copy=2&reg &lt=3&para;x&ampx", true), "?a=1&copy=2® &lt=3¶x&ampx");
}

TEST(HtmlEntitiesTest, UnknownNamesWithSemicolonAreReported) {
  EXPECT_EQ(decoded("&foo; &notinva; &eacutes; &Qacute;"), "? ? ? ?");
  EXPECT_EQ(reference_at("&foo;", 0, false).bytes, 5u);
}

TEST(HtmlEntitiesTest, EscapesWhatItsPlaceNeeds) {
  EXPECT_EQ(escape_html("a<b> & \"c\" 'd'\u00a0"), "a&lt;b&gt; &amp; \"c\" 'd'\u00a0");
  EXPECT_EQ(escape_html("\"'", '"'), "&quot;'");
  EXPECT_EQ(escape_html("\"'", '\''), "\"&#39;");
  EXPECT_EQ(escape_html("a\u00a0\u00e9", 0, /*names_space=*/true), "a&nbsp;\u00e9");
}

}  // namespace
}  // namespace gloss
